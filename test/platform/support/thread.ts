import { parentPort, threadId } from 'node:worker_threads';

export type Asked = 'WHO' | 'THROW' | 'EXIT' | 'GROW' | 'HANG';

function fill(): never {
  const kept: number[][] = [];
  for (;;) {
    kept.push(Array.from({ length: 10_000 }, (_, n) => n + kept.length));
  }
}

function hang(): never {
  for (;;) {
    Math.sqrt(2);
  }
}

parentPort?.on('message', (asked: Asked) => {
  switch (asked) {
    case 'WHO':
      return parentPort?.postMessage(threadId);
    case 'THROW':
      throw new RangeError('Nothing to be done.');
    case 'EXIT':
      return process.exit(3);
    case 'GROW':
      return fill();
    case 'HANG':
      return hang();
  }
});
