import { type Database, openDatabase } from '../../src/services/platform/database.js';
import { DomainError } from '../../src/services/platform/errors.js';
import { claimTask } from '../../src/services/routing/claim.js';
import { submitAnswer } from '../../src/services/routing/submit.js';
import { type ExpertRef, viewerOf, type World } from './world.js';

// Claims and submits through the services as the API calls them, in this process: no HTTP, no tokens.

export interface Cycles {
  readonly perSecond: number;
  readonly claimMs: readonly number[];
  readonly submitMs: readonly number[];
  /** CPU of this process, callers included, in microseconds a cycle. */
  readonly nodeCpuUs: number;
  /** Claims that came back with nothing, and requests that were told to come back later. */
  readonly empty: number;
  readonly shed: number;
}

export interface CycleOptions {
  readonly experts: readonly ExpertRef[];
  readonly callers: number;
  readonly cycles: number;
  readonly skillId?: bigint;
}

export function withDatabase<T>(world: World, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase({ url: world.url });
  return work(db).finally(() => db.close());
}

/** `callers` at once each claim, answer and go on with the next expert, until so many cycles are done. */
export async function runCycles(db: Database, world: World, options: CycleOptions): Promise<Cycles> {
  const { experts, callers, cycles, skillId } = options;
  const counted = { claimMs: [] as number[], submitMs: [] as number[], empty: 0, shed: 0 };
  const free = [...experts];
  let left = cycles;
  const began = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) {
        const expert = free.shift();
        if (expert === undefined) {
          throw new Error('There are fewer experts than callers.');
        }
        await cycle(db, { world, expert, counted, ...(skillId === undefined ? {} : { skillId }) });
        free.push(expert);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const done = counted.submitMs.length;
  return { ...counted, perSecond: done / seconds, nodeCpuUs: (user + system) / done };
}

interface Cycle {
  readonly world: World;
  readonly expert: ExpertRef;
  readonly skillId?: bigint;
  readonly counted: { claimMs: number[]; submitMs: number[]; empty: number; shed: number };
}

async function cycle(db: Database, { world, expert, counted, skillId }: Cycle): Promise<void> {
  const viewer = viewerOf(world, expert);
  const began = performance.now();
  const claimed = await patiently(
    () => claimTask(db, viewer, skillId === undefined ? {} : { skillId }),
    counted,
  );
  counted.claimMs.push(performance.now() - began);
  if ('empty' in claimed) {
    counted.empty++;
    return;
  }
  const { id, epoch } = claimed.held;
  const submitting = performance.now();
  await patiently(
    () => submitAnswer(db, viewer, { assignmentId: id, leaseEpoch: epoch, answer: { choice: 'yes' } }),
    counted,
  );
  counted.submitMs.push(performance.now() - submitting);
}

/** What was shed is asked again at once, and counted: the wait stands in the latency. */
async function patiently<T>(call: () => Promise<T>, counted: { shed: number }): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'OVERLOADED')) {
        throw error;
      }
      counted.shed++;
    }
  }
}

/** All of them ask for work in the same moment; then all submit. @returns the milliseconds that each waited */
export async function askAtOnce(
  db: Database,
  world: World,
  experts: readonly ExpertRef[],
): Promise<{ claimMs: number[]; submitMs: number[] }> {
  const claimMs: number[] = [];
  const submitMs: number[] = [];
  const began = performance.now();
  const given = await Promise.all(
    experts.map(async (expert) => {
      const claimed = await claimTask(db, viewerOf(world, expert));
      claimMs.push(performance.now() - began);
      if ('empty' in claimed) {
        throw new Error(`${expert.subject} was given nothing: ${claimed.empty.reason}`);
      }
      return { expert, held: claimed.held };
    }),
  );
  const submitting = performance.now();
  await Promise.all(
    given.map(async ({ expert, held: { id, epoch } }) => {
      const answer = { assignmentId: id, leaseEpoch: epoch, answer: { choice: 'yes' } };
      await submitAnswer(db, viewerOf(world, expert), answer);
      submitMs.push(performance.now() - submitting);
    }),
  );
  return { claimMs, submitMs };
}
