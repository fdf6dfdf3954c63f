import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Order, Report } from './wire.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The generator's process. */
export interface Crowd {
  /** Gives an order and waits until it is carried out. @throws where that takes longer than `limitMs` */
  tell(order: Order, limitMs?: number): Promise<Report>;
  stop(): void;
}

const LIMIT_MS = 90_000;

export function startCrowd(): Crowd {
  const child = fork(join(ROOT, 'bench/fanout/generator.ts'), { execArgv: ['--import', 'tsx'], cwd: ROOT });
  const end = () => void child.kill();
  process.once('exit', end);
  return {
    async tell(order, limitMs = LIMIT_MS) {
      const signal = AbortSignal.timeout(limitMs);
      const answered = once(child, 'message', { signal });
      child.send(order);
      const [report] = await answered.catch(() => {
        throw new Error(`The crowd did not ${order.kind} within ${limitMs / 1000} s.`);
      });
      return report as Report;
    },
    stop() {
      process.off('exit', end);
      child.kill();
    },
  };
}
