// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { AnswerRefusedError } from '../../src/client/submit.js';
import type { Fetch } from '../../src/client/transport.js';
import { runWorker, type WorkerEvent, type WorkerOptions } from '../../src/client/worker.js';
import { claimTask } from '../../src/services/routing/claim.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import {
  answerOf,
  type Expert,
  makeBatch,
  makeWorld,
  type World,
  type WorldOptions,
} from '../support/factories.js';
import { withClock } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';

const t = useTestDb();
const api = useTestApi(t);

const MINUTE = 60;

/** Leases that end by the shifted clock only, however slow the machine is. */
const worldOf = (options: WorldOptions = {}) =>
  makeWorld(t.database, { ...options, project: { origin: 'TEST', leaseSeconds: 600, ...options.project } });

/**
 * Lets the database's clock stand still but for `t.advance`, for short leases: beats come as often as a lease is short,
 * and a machine that is busy for a second must not end one.
 */
async function withStillClock<T>(work: () => Promise<T>): Promise<T> {
  const { rows } = await t.admin.query<{ at: string }>(
    "select date_trunc('milliseconds', now())::text as at",
  );
  const clock = `select timestamptz '${rows[0]?.at}' + (select shift from app.test_clock)`;
  return withClock(t.admin, clock, work);
}

/** A client of the running server that tells of each operation that was answered. */
function clientOf(world: World, { viewer }: Expert) {
  const answered: string[] = [];
  const watching: Fetch = async (url, init) => {
    const response = await fetch(url, init);
    const [, name = ''] = /(?:mutation|query) (\w+)/.exec(init.body) ?? [];
    answered.push(name);
    return response;
  };
  const client = createClient({
    url: `${api.url}/graphql`,
    token: () => api.token({ subject: viewer.displayName, tenantSlug: world.slug, role: 'EXPERT' }),
    retry: { baseMs: 1, capMs: 20, patienceMs: 10_000 },
    fetch: watching,
  });
  const times = (name: string) => answered.filter((one) => one === name).length;
  /** Resolves when an operation has been answered so often. */
  const until = (name: string, least = 1) => expect.poll(() => times(name)).toBeGreaterThanOrEqual(least);
  return { client, until, times };
}

async function epochsOf({ projectId }: World): Promise<number[]> {
  const { rows } = await t.admin.query<{ epoch: number }>('select epoch from answers where project_id = $1', [
    projectId,
  ]);
  return rows.map(({ epoch }) => epoch);
}

const kinds = (events: readonly WorkerEvent[]) => events.map(({ kind }) => kind);

test('a worker answers everything there is, each task once, and then says why there is no more', async () => {
  const world = await worldOf({ tasks: 5 });
  const { client, times } = clientOf(world, world.ada);
  const events: WorkerEvent[] = [];
  const end = await runWorker({
    client,
    answer: () => ({ answer: answerOf('yes'), confidence: 0.5 }),
    untilEmpty: true,
    onEvent: (event) => events.push(event),
  });
  expect(end).toEqual({ ended: 'EMPTY', receipts: 5, held: null });
  expect(kinds(events)).toEqual([...Array(5).fill(['HELD', 'RECEIPT']).flat(), 'EMPTY']);
  expect(events.at(-1)).toMatchObject({ empty: { reason: 'NO_OPEN_TASK' } });
  const receipts = events.flatMap((event) => (event.kind === 'RECEIPT' ? [event.receipt.assignmentId] : []));
  expect(new Set(receipts).size).toBe(5);
  expect([times('ClaimTask'), times('Submit')]).toEqual([1, 5]); // a submit claims the next task as well
});

test('a limit ends a worker without a claim too many', async () => {
  const world = await worldOf({ tasks: 3 });
  const { client, times } = clientOf(world, world.ada);
  const end = await runWorker({ client, answer: () => ({ answer: answerOf() }), limit: 2 });
  expect(end).toEqual({ ended: 'LIMIT', receipts: 2, held: null });
  expect([times('ClaimTask'), times('Submit')]).toEqual([1, 2]);
  expect(await client.currentAssignment()).toBeNull();
});

test('heartbeats keep a lease for as long as an answer takes, and carry the draft', async () => {
  const world = await worldOf({ tasks: 1, project: { leaseSeconds: 3 } });
  const { client, until } = clientOf(world, world.ada);
  const answer: WorkerOptions['answer'] = async (_held, desk) => {
    desk.saveDraft({ so: 'far' });
    for (let beats = 1; beats <= 4; beats++) {
      await until('Heartbeat', beats);
      await t.advance(1);
    }
    expect((await client.currentAssignment())?.draft?.body).toEqual({ so: 'far' });
    return { answer: answerOf() };
  };
  const end = await withStillClock(() => runWorker({ client, limit: 1, answer }));
  expect(end.receipts).toBe(1);
  expect(await epochsOf(world)).toEqual([1]);
});

test('a lease that ended while an answer was thought of is taken back, and the answer counts', async () => {
  const world = await worldOf({ tasks: 1, project: { leaseSeconds: 1 } });
  const { client, until } = clientOf(world, world.ada);
  const answer = async () => {
    await t.advance(10 * MINUTE);
    await until('ReclaimAssignment');
    return { answer: answerOf() };
  };
  const end = await withStillClock(() => runWorker({ client, limit: 1, answer }));
  expect(end.receipts).toBe(1);
  expect(await epochsOf(world)).toEqual([2]);
});

test('a lease that ended just before the submit is taken back, and the answer counts', async () => {
  const world = await worldOf({ tasks: 2 });
  const { client, times } = clientOf(world, world.ada);
  let first = true;
  const end = await runWorker({
    client,
    limit: 2,
    answer: async () => {
      await t.advance(first ? 60 * MINUTE : 0);
      first = false;
      return { answer: answerOf() };
    },
  });
  expect(end.receipts).toBe(2);
  expect([times('Heartbeat'), times('ReclaimAssignment'), times('Submit')]).toEqual([0, 1, 3]);
});

test('a task that somebody else has by then is lost, told, and the worker goes on', async () => {
  const world = await worldOf({ tasks: 1, experts: 2 });
  const { client } = clientOf(world, world.ada);
  const events: WorkerEvent[] = [];
  const end = await runWorker({
    client,
    limit: 1,
    onEvent: (event) => events.push(event),
    answer: async () => {
      if (events.length === 1) {
        await t.advance(60 * MINUTE);
        await claimTask(t.database, world.bob.viewer);
        await makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 });
      }
      return { answer: answerOf() };
    },
  });
  expect(end.receipts).toBe(1);
  expect(kinds(events)).toEqual(['HELD', 'LOST', 'HELD', 'RECEIPT']);
  expect(events[1]).toMatchObject({ lost: { code: 'LEASE_EXPIRED' } });
  await expectRulesHold(t.database);
});

test('who was stopped holds on, and goes on with the same task when it comes back, even after its lease', async () => {
  const world = await worldOf({ tasks: 2 });
  const { client } = clientOf(world, world.ada);
  const stop = new AbortController();
  const answer = () => {
    stop.abort();
    return { answer: answerOf() };
  };
  const end = await runWorker({ client, signal: stop.signal, answer });
  expect(end).toMatchObject({ ended: 'ABORTED', receipts: 0, held: { leaseEpoch: 1 } });
  await t.advance(60 * MINUTE);
  const events: WorkerEvent[] = [];
  await runWorker({
    client,
    resumeWith: end.held?.assignmentId,
    limit: 2,
    answer: () => ({ answer: answerOf() }),
    onEvent: (event) => events.push(event),
  });
  expect(kinds(events)).toEqual(['HELD', 'RECEIPT', 'HELD', 'RECEIPT']);
  expect(events[0]).toMatchObject({ held: { assignmentId: end.held?.assignmentId, leaseEpoch: 2 } });
});

test('an answer that never comes does not hold up a worker that is stopped', async () => {
  const world = await worldOf({ tasks: 1 });
  const { client } = clientOf(world, world.ada);
  const stop = new AbortController();
  const end = await runWorker({
    client,
    signal: stop.signal,
    answer: () => {
      queueMicrotask(() => stop.abort());
      return new Promise(() => undefined);
    },
  });
  expect(end.ended).toBe('ABORTED');
});

test('two windows of one expert share a task: the one with the older claim takes over the newer epoch', async () => {
  const world = await worldOf({ tasks: 1 });
  const { client } = clientOf(world, world.ada);
  const end = await runWorker({
    client,
    limit: 1,
    answer: async ({ assignmentId }) => {
      await t.advance(60 * MINUTE);
      await client.reclaimAssignment({ assignmentId }); // in the other window
      return { answer: answerOf() };
    },
  });
  expect(end.receipts).toBe(1);
});

test('flags and releases are handed in, and the worker goes on', async () => {
  const world = await worldOf({ tasks: 3 });
  const { client } = clientOf(world, world.ada);
  const answers = [{ flag: 'UNREADABLE', note: 'blurred' } as const, { release: true } as const];
  const end = await runWorker({ client, limit: 2, answer: () => answers.shift() ?? { answer: answerOf() } });
  expect(end.receipts).toBe(2);
  const { rows } = await t.admin.query(
    'select reason, note from task_flags where project_id = $1 order by assignment_id',
    [world.projectId],
  );
  expect(rows).toEqual([{ reason: 'UNREADABLE', note: 'blurred' }]);
});

test('a flag whose lease ended while its note was written takes it back', async () => {
  const world = await worldOf({ tasks: 2 });
  const { client, times } = clientOf(world, world.ada);
  let isFirst = true;
  const flag = async () => {
    if (!isFirst) {
      return { answer: answerOf() };
    }
    isFirst = false;
    await t.advance(60 * MINUTE);
    return { flag: 'UNREADABLE', note: 'blurred' } as const;
  };
  await runWorker({ client, limit: 1, answer: flag });
  expect([times('ReclaimAssignment'), times('FlagTask')]).toEqual([1, 2]);
  const { rows } = await t.admin.query('select note from task_flags where project_id = $1', [
    world.projectId,
  ]);
  expect(rows).toEqual([{ note: 'blurred' }]);
});

test('an answer that the task type does not take ends the worker with its faults; the task stays held', async () => {
  const world = await worldOf({ tasks: 1 });
  const { client } = clientOf(world, world.ada);
  const ending = runWorker({ client, answer: () => ({ answer: { choice: 'perhaps' } }) });
  await expect(ending).rejects.toThrow(AnswerRefusedError);
  await expect(ending).rejects.toMatchObject({ issues: [{ path: '/choice' }] });
  expect(await client.currentAssignment()).not.toBeNull();
});
