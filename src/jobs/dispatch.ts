import type { Logger } from 'pino';
import type { Assigning } from '../services/dispatch/assign.js';
import { JobStateError } from '../services/dispatch/errors.js';
import { assignDue, ENDS_A_STEP, endOffers, JOBS_A_STEP } from '../services/dispatch/upkeep.js';
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

/**
 * One ends offers and tells of no-shows, the other asks the next candidates and assigns what is planned: where nobody can be had that takes
 * long, and no offer stands the longer for it. Any number of nodes may run them.
 */
export function createDispatchJobs({ bus, log, ...on }: DispatchOptions): readonly Job[] {
  const turns = { after: 0n };
  const assigning = createLoop({
    name: 'dispatch',
    log,
    async step() {
      const attempts = await assignDue(on, turns);
      for (const attempt of attempts) {
        // Somebody was quicker: they have cancelled it, or given it by hand.
        if ('error' in attempt && !(attempt.error instanceof JobStateError)) {
          log.error({ err: attempt.error }, 'dispatch.assign.failed');
        }
      }
      if (attempts.length > 0) {
        bus.poke();
      }
      return jitter(attempts.length < JOBS_A_STEP ? EVERY_MS : NEXT_MS);
    },
  });
  const ending = createLoop({
    name: 'offers',
    log,
    async step() {
      const { expired, noShows } = await endOffers(on.db);
      if (expired > 0) {
        assigning.poke();
      }
      if (expired + noShows > 0) {
        bus.poke();
      }
      return jitter(expired < ENDS_A_STEP ? EVERY_MS : NEXT_MS);
    },
  });
  return [ending, assigning];
}
