import { fork } from 'node:child_process';
import { on } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NumberedAnswer, NumberedOrder, Order, Sent } from './wire.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The crowd's process. */
export interface Crowd {
  /** Gives an order and waits until it is carried out. @throws where that takes two minutes longer than it should */
  tell(order: Order): Promise<Sent>;
  stop(): void;
}

const LIMIT_MS = 120_000;

/** Starts it, without anybody in it. */
export function startCrowd(): Crowd {
  const child = fork(join(ROOT, 'bench/dispatch/crowd.ts'), { execArgv: ['--import', 'tsx'], cwd: ROOT });
  const end = () => void child.kill();
  process.once('exit', end);
  let number = 0;
  return {
    async tell(order) {
      number += 1;
      const own = number;
      child.send({ number: own, order } satisfies NumberedOrder);
      const limitMs = LIMIT_MS + (order.kind === 'report' ? order.forMs : 0);
      const gone = new AbortController();
      child.once('exit', () => gone.abort());
      const signal = AbortSignal.any([AbortSignal.timeout(limitMs), gone.signal]);
      try {
        for await (const [answer] of on(child, 'message', { signal })) {
          const { number: of, sent } = answer as NumberedAnswer;
          if (of === own) {
            return sent ?? { fixes: 0, failures: 0, lateMs: 0, tookMs: 0 };
          }
        }
      } catch {
        // It took too long, or the process is gone.
      }
      throw new Error(`The crowd did not ${order.kind} within ${limitMs / 1_000} s.`);
    },
    stop() {
      process.off('exit', end);
      child.kill();
    },
  };
}
