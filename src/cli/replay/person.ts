import { sleep } from '../../client/abort.js';
import type { Answer } from '../../client/answer.js';
import { type Client, createClient } from '../../client/client.js';
import type { HeldAssignment } from '../../client/held.js';
import { finish } from '../../client/submit.js';
import { runWorker, type WorkerEvent } from '../../client/worker.js';
import { type Random, randomOf } from '../../services/platform/random.js';
import { createConnection } from './connection.js';
import { doubled } from './doubling.js';
import type { PersonPlan } from './plan.js';
import type { ReplayLog } from './replay-log.js';

/** What all persons of a replay share. */
export interface World {
  /** Address of the GraphQL endpoint. */
  readonly url: string;
  /** A token of a recorded worker. */
  readonly tokenOf: (worker: string) => Promise<string>;
  readonly double: number;
  readonly seed: number;
  readonly log: ReplayLog;
  readonly signal: AbortSignal;
}

/** Something that can never happen did. The replay stops and fails. */
export class ReplayBrokenError extends Error {
  override readonly name = 'ReplayBrokenError';
}

/** After an outage everybody is back within seconds; how long there may be no progress is the replay's patience. */
const RETRY = { baseMs: 100, capMs: 2000, patienceMs: Number.POSITIVE_INFINITY };
const TIMEOUT_MS = 20_000;

/** Clocks of two machines run apart and timers fire early: come back clearly after the lease has ended. */
const RETURN_MARGIN_MS = 100;

/** One recorded worker from the first claim to the last receipt, with a disappearance in between if so planned. */
export async function live(world: World, plan: PersonPlan): Promise<void> {
  const random = randomOf(world.seed, plan.worker);
  const left = new Map(plan.labels);
  if (plan.vanishAfter !== null) {
    const held = await workThenVanish(world, { plan, left, random });
    if (held !== null) {
      await comeBack(world, { plan, left, random, held });
    }
  }
  if (left.size > 0) {
    const { client } = connect(world, plan.worker, random);
    await runWorker(workerOptions(world, { client, left, signal: world.signal }));
  }
}

interface Life {
  readonly plan: PersonPlan;
  /** What is still to be answered; receipts take from it. */
  readonly left: Map<string, string>;
  readonly random: Random;
}

/** Works up to a point, then is gone in the middle of a task: no release, no heartbeat, the connection cut. */
async function workThenVanish(world: World, { plan, left, random }: Life): Promise<HeldAssignment | null> {
  const { client, drop } = connect(world, plan.worker, random);
  const stop = new AbortController();
  const follow = () => stop.abort(world.signal.reason);
  world.signal.addEventListener('abort', follow, { once: true });
  const options = workerOptions(world, { client, left, signal: stop.signal });
  const until = left.size - (plan.vanishAfter ?? 0);
  const { held } = await runWorker({
    ...options,
    answer: (assignment) => {
      if (left.size <= until) {
        stop.abort(new Error('gone'));
      }
      return options.answer(assignment);
    },
  });
  world.signal.removeEventListener('abort', follow);
  world.signal.throwIfAborted();
  drop();
  world.log.vanished();
  return held;
}

/**
 * Returns after the lease has ended, in one of the ways people do: sends the answer that lay there, takes the task up
 * again, or simply opens the workbench anew.
 */
async function comeBack(
  world: World,
  { plan, left, random, held }: Life & { held: HeldAssignment },
): Promise<void> {
  await sleep(Math.max(0, held.leaseEndsAt - performance.now()) + RETURN_MARGIN_MS, world.signal);
  world.log.returned();
  const { client } = connect(world, plan.worker, random);
  const way = random();
  if (way < 1 / 3) {
    await sendWhatLayThere(world, { client, left, held });
  } else if (way < 2 / 3) {
    await runWorker({
      ...workerOptions(world, { client, left, signal: world.signal }),
      resumeWith: held.assignmentId,
    });
  }
}

interface Seat {
  readonly client: Client;
  readonly left: Map<string, string>;
}

async function sendWhatLayThere(
  world: World,
  { client, left, held }: Seat & { held: HeldAssignment },
): Promise<void> {
  const answer = recordedAnswer(left, held);
  const done = await finish(client, { held, answer, claimNext: false, signal: world.signal });
  if (done.receipt) {
    receive(world.log, left, { kind: 'RECEIPT', held, receipt: done.receipt });
  }
  if (done.lost) {
    world.log.lost(done.lost.code);
  }
}

function workerOptions(world: World, { client, left, signal }: Seat & { signal: AbortSignal }) {
  return {
    client,
    signal,
    limit: left.size,
    answer: (held: HeldAssignment) => recordedAnswer(left, held),
    onEvent: (event: WorkerEvent) => receive(world.log, left, event),
  };
}

function recordedAnswer(left: ReadonlyMap<string, string>, { task }: HeldAssignment): Answer {
  const label = left.get(task.externalId ?? '');
  if (label === undefined) {
    throw new ReplayBrokenError(
      `A worker was given item ${task.externalId}, which they have no open answer to.`,
    );
  }
  return { answer: { choice: label } };
}

function receive(log: ReplayLog, left: Map<string, string>, event: WorkerEvent): void {
  if (event.kind === 'RECEIPT') {
    left.delete(event.held.task.externalId ?? '');
    log.received();
  } else if (event.kind === 'LOST') {
    log.lost(event.lost.code);
  }
}

function connect(world: World, worker: string, random: Random): { client: Client; drop: () => void } {
  const connection = createConnection();
  const client = createClient({
    url: world.url,
    token: () => world.tokenOf(worker),
    timeoutMs: TIMEOUT_MS,
    retry: RETRY,
    onRetry: () => world.log.retried(),
    fetch: doubled(connection.fetch, {
      share: world.double,
      random,
      onDoubled: ({ sameReceipt }) => {
        world.log.doubled();
        if (!sameReceipt) {
          world.log.broke('The same submit sent twice got two different receipts.');
        }
      },
    }),
  });
  return { client, drop: connection.drop };
}
