import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { checkIn, completeJob } from '../../src/services/dispatch/at-the-place.js';
import { cancelJob, reassignJob } from '../../src/services/dispatch/jobs.js';
import { acceptOffer, declineOffer } from '../../src/services/dispatch/offers.js';
import { endOffers } from '../../src/services/dispatch/upkeep.js';
import { setDispatchSettings } from '../../src/services/dispatch/workers.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  HERE,
  lookAtJob,
  makeDepot,
  makeJob,
  makeWorker,
  see,
} from '../support/dispatch.js';
import { at, type Expert } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';

// Jobs against a model of what they are: whatever is done to them in whatever order, each step is allowed or refused as the model says, and
// every rule holds at the end.
const t = useTestDb();

interface Ground {
  readonly depot: Depot;
  readonly workers: readonly Expert[];
  readonly jobs: readonly bigint[];
}

const STEPS = ['assign', 'accept', 'decline', 'lapse', 'checkIn', 'complete', 'cancel', 'reassign'] as const;
type Step = (typeof STEPS)[number];

const proofs = [{ contentType: 'text/plain', content: Buffer.from('done') }];

/** The offer that a job has, or had last, and whose it is. */
async function lastOffer({ depot, workers }: Ground, jobId: bigint) {
  const { rows } = await depot.admin.query(
    'select id, expert_id from offers where job_id = $1 order by id desc limit 1',
    [jobId],
  );
  const [row] = rows;
  return row === undefined
    ? null
    : { id: BigInt(row.id), by: workers.findIndex(({ expertId }) => String(expertId) === row.expert_id) };
}

async function act(ground: Ground, step: Step, job: number): Promise<void> {
  const { depot, workers, jobs } = ground;
  const jobId = at(jobs, job);
  const { db } = depot.on;
  const offer = await lastOffer(ground, jobId);
  const { viewer } = at(workers, offer?.by ?? 0);
  const reason = 'So it is.';
  switch (step) {
    case 'assign':
      return void (await assignJob(depot.on, actorOf(depot), jobId));
    case 'accept':
      return void (await acceptOffer(db, viewer, offer?.id ?? 0n));
    case 'decline':
      return void (await declineOffer(db, viewer, offer?.id ?? 0n));
    case 'lapse':
      await depot.admin.query(`update app.test_clock set shift = shift + interval '21 s'`);
      return void (await endOffers(db));
    case 'checkIn':
      return checkIn(db, viewer, { jobId, code: (await lookAtJob(depot, jobId)).code });
    case 'complete':
      return completeJob(db, viewer, { jobId, proofs });
    case 'cancel':
      return cancelJob(db, depot.customer.viewer, { jobId, reason });
    case 'reassign':
      return reassignJob(db, depot.dispatcher, { jobId, reason });
  }
}

/** From which states a step goes on, and to which; what is not here is refused or changes nothing. */
const MOVES: Readonly<Record<Exclude<Step, 'assign' | 'lapse'>, Readonly<Record<string, string>>>> = {
  accept: { OFFERED: 'ACCEPTED' },
  decline: { OFFERED: 'OPEN' },
  checkIn: { ACCEPTED: 'IN_PROGRESS' },
  complete: { IN_PROGRESS: 'DONE' },
  cancel: {
    ...{ OPEN: 'CANCELLED', OFFERED: 'CANCELLED', ACCEPTED: 'CANCELLED' },
    ...{ IN_PROGRESS: 'CANCELLED', UNASSIGNED_ALERT: 'CANCELLED' },
  },
  reassign: { ACCEPTED: 'OPEN' },
};

/** What a step makes of the states of all jobs; the outcome of assigning depends on who is free, so that either is allowed. */
function expected(states: readonly string[], step: Step, job: number): readonly (readonly string[])[] {
  return states.map((state, n) => {
    if (step === 'lapse') {
      return [state === 'OFFERED' ? 'OPEN' : state];
    }
    if (n !== job) {
      return [state];
    }
    if (step === 'assign') {
      return state === 'OPEN' || state === 'UNASSIGNED_ALERT' ? ['OFFERED', 'UNASSIGNED_ALERT'] : [state];
    }
    return [MOVES[step][state] ?? state];
  });
}

async function statesOf({ depot, jobs }: Ground): Promise<string[]> {
  return Promise.all(jobs.map(async (jobId) => (await lookAtJob(depot, jobId)).state));
}

/** Three jobs and two workers, of whom each can have one. */
async function makeGround(): Promise<Ground> {
  const depot = await makeDepot(t);
  await setDispatchSettings(t.database, depot.operator, { cooldownSeconds: 0 });
  const workers = [await makeWorker(depot), await makeWorker(depot)];
  const jobs = [await makeJob(depot), await makeJob(depot), await makeJob(depot)];
  return { depot, workers, jobs };
}

const script = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(2)), { minLength: 8, maxLength: 24 });

test('whatever is done to jobs in whatever order, they move as they may and every rule holds', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const ground = await makeGround();
      for (const [step, job] of steps) {
        for (const worker of ground.workers) {
          await see(ground.depot, worker, { at: HERE });
        }
        const before = await statesOf(ground);
        const refusal = await act(ground, step, job).then(
          () => null,
          (error: { code?: string }) => error.code ?? String(error),
        );
        // A refusal is one that somebody can act on, never a bug.
        expect(refusal ?? 'NOT_FOUND').toMatch(/^(NOT_FOUND|OFFER_GONE|OFFER_EXPIRED|JOB_STATE)$/);
        const after = await statesOf(ground);
        const allowed = expected(before, step, job);
        expect(
          after.map(
            (state, n) => at(allowed, n).includes(state) || `${step} ${job}: ${before[n]} to ${state}`,
          ),
        ).toEqual(after.map(() => true));
      }
    }),
    { numRuns: 4 },
  );
  await expectRulesHold(t.database);
});
