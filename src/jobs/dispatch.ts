import type { Logger } from 'pino';
import type { Assigning } from '../services/dispatch/assign.js';
import { JobStateError } from '../services/dispatch/errors.js';
import { assignDue, endOffers, JOBS_A_STEP } from '../services/dispatch/upkeep.js';
import type { EventBus } from '../services/events/bus.js';
import { jitter } from '../services/platform/retry.js';
import { createLoop, type Job } from './loop.js';

export interface DispatchOptions extends Assigning {
  readonly bus: EventBus;
  readonly log: Logger;
}

/** An offer stands for twenty seconds: who is asked next should not wait for long. */
const EVERY_MS = 500;
/** Where more may wait than one step took. */
const NEXT_MS = 20;

/** Ends offers, asks the next candidates, assigns what is planned and tells of no-shows. Any number of nodes may run it. */
export function createDispatchJob({ bus, log, ...on }: DispatchOptions): Job {
  return createLoop({
    name: 'dispatch',
    log,
    async step() {
      const { expired, noShows } = await endOffers(on.db);
      const attempts = await assignDue(on);
      for (const attempt of attempts) {
        // Somebody was quicker: they have cancelled it, or given it by hand.
        if ('error' in attempt && !(attempt.error instanceof JobStateError)) {
          log.error({ err: attempt.error }, 'dispatch.assign.failed');
        }
      }
      if (expired + noShows + attempts.length > 0) {
        bus.poke();
      }
      return jitter(attempts.length < JOBS_A_STEP ? EVERY_MS : NEXT_MS);
    },
  });
}
