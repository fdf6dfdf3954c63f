import { readFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { forecastWith } from '../../src/services/forecast/what-if.js';
import { QueryTooLargeError } from '../../src/services/platform/analysts.js';
import { type Scope, withScope, withServiceFor } from '../../src/services/platform/database.js';
import { CancelledError } from '../../src/services/platform/errors.js';
import { makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';

// What a whole read of an analyst may take, and that all they ask is one.
const t = useTestDb();
const api = useTestApi(t);

let scope: Scope;

beforeAll(async () => {
  const world = await makeWorld(t.database);
  scope = { tenantId: world.tenantId, role: 'ANALYST', actorId: world.operator.identityId };
});

const run = (text: string) =>
  withScope(t.database, scope, (tx) => tx.$queryRawUnsafe<Record<string, unknown>[]>(text));

test('rows are those of a whole read, and bytes are counted too', async () => {
  const twice = withScope(t.database, scope, async (tx) => {
    await tx.$queryRawUnsafe('select g from generate_series(1, 12000) g');
    return tx.$queryRawUnsafe('select g from generate_series(1, 12000) g');
  });
  await expect(twice).rejects.toBeInstanceOf(QueryTooLargeError);
  const long = run(`select repeat('x', 60000) as x from generate_series(1, 3000)`);
  await expect(long).rejects.toBeInstanceOf(QueryTooLargeError);
  await expect(long).rejects.toThrow(/64 MiB/);
  expect(await run('select 1 as one')).toEqual([{ one: 1 }]);
});

test('a cancel that comes as a read ends hits nobody after it', async () => {
  for (let turns = 0; turns < 150; turns += 1) {
    const gone = new AbortController();
    const leaving = { ...scope, signal: gone.signal };
    const read = withScope(t.database, leaving, (tx) => tx.$queryRawUnsafe('select 1 as one'));
    read.catch(() => undefined);
    for (let turn = 0; turn < turns % 30; turn += 1) {
      await nextTurn();
    }
    gone.abort();
    await Promise.allSettled([read]);
    expect(await run('select 1 as one')).toEqual([{ one: 1 }]);
  }
});

test('the processes that read for analysts yield to all else of the machine, long reads also where it groups processes by session', async () => {
  const pids: number[] = [];
  const groupOf = () => readFile(`/proc/${pids[0]}/autogroup`, 'utf8').catch(() => '');
  const gone = new AbortController();
  const long = withScope(t.database, { ...scope, signal: gone.signal }, async (tx) => {
    const [{ pid } = {}] = await tx.$queryRawUnsafe<{ pid: number }[]>('select pg_backend_pid() as pid');
    pids.push(Number(pid));
    await tx.$queryRawUnsafe(
      'with recursive n(i) as (select 1 union all select i % 7 + 1 from n) select count(*)::text from n',
    );
  });
  await expect.poll(() => pids.length).toBe(1);
  await expect.poll(() => getPriority(pids[0])).toBe(constants.priority.PRIORITY_LOW);
  // Where there are no groups (boot option noautogroup) the file is empty or lacks, and priorities count by themselves.
  const isGrouped = (await groupOf()) !== '';
  if (isGrouped) {
    expect(await groupOf()).toMatch(/nice 0\s*$/);
    await expect.poll(groupOf).toMatch(/nice 10\s*$/);
  }
  gone.abort();
  await expect(long).rejects.toBeInstanceOf(CancelledError);
  if (isGrouped) {
    await expect.poll(groupOf).toMatch(/nice 0\s*$/);
  }
});

/** While nothing is served in the scope of our own statements. */
async function withoutService<T>(work: () => Promise<T>): Promise<T> {
  const { rows } = await t.admin.query(`select pg_get_functiondef('app.enter_scope'::regproc) as text`);
  const refusing = String(rows[0].text).replace(
    /\bbegin\b/i,
    `begin if p_role = 'SERVICE' then raise 'no service'; end if;`,
  );
  await t.admin.query(refusing);
  try {
    return await work();
  } finally {
    await t.admin.query(rows[0].text);
  }
}

test('what would be is computed for analysts on a connection apart, which only reads', async () => {
  const { operator, projectId } = await makeWorld(t.database);
  const change = { extraExperts: [], dropTasks: 0, deadline: null };
  const asked = async (role: 'OPERATOR' | 'ANALYST') => {
    const forecast = await forecastWith(t.database, { ...operator, role }, { of: { projectId }, change });
    return { forecast, opened: t.database.asidePool.totalCount };
  };
  const [before, after] = [await asked('OPERATOR'), await asked('ANALYST')];
  expect([before.opened, after.opened]).toEqual([0, 1]);
  expect(after.forecast?.remainingAnswers).toBe(before.forecast?.remainingAnswers);
  const own = { tenantId: scope.tenantId, role: 'ANALYST', identityId: 1n } as const;
  await expect(
    withServiceFor(t.database, own, (tx) => tx.$executeRawUnsafe('create temporary table x (y int)')),
  ).rejects.toThrow(/read-only/);
  const gone = { ...own, signal: AbortSignal.abort() };
  await expect(withServiceFor(t.database, gone, (tx) => tx.$queryRaw`select 1`)).rejects.toBeInstanceOf(
    CancelledError,
  );
});

test('the quality of a project is read on connections of analysts, all of it', async () => {
  const { analyst, customer, projectId } = await makeApiWorld(api);
  const query =
    'query ($id: ID!) { projectQuality(projectId: $id) { adjudicationsOpened dimensions { stated } } }';
  await withoutService(async () => {
    const { data } = await api.graphql(analyst, query, { id: projectId });
    expect(data.projectQuality.adjudicationsOpened).toBe(0);
    // (Customers do not see by whose records results are sure.)
    expect((await api.attempt(customer, query, { id: projectId })).errors).toHaveLength(1);
  });
});
