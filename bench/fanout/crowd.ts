import { fork } from 'node:child_process';
import { on } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NumberedOrder, NumberedReport, Order, Report } from './wire.js';

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
  let number = 0;
  return {
    async tell(order, limitMs = LIMIT_MS) {
      number += 1;
      child.send({ number, order } satisfies NumberedOrder);
      try {
        for await (const [answer] of on(child, 'message', { signal: AbortSignal.timeout(limitMs) })) {
          // One that comes too late belongs to an order that was given up.
          if ((answer as NumberedReport).number === number) {
            return (answer as NumberedReport).report;
          }
        }
      } catch {
        // It took too long.
      }
      throw new Error(`The crowd did not ${order.kind} within ${limitMs / 1000} s.`);
    },
    stop() {
      process.off('exit', end);
      child.kill();
    },
  };
}
