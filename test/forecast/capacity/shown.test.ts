import { expect, test } from 'vitest';
import type { StoredCapacity } from '../../../src/services/forecast/capacity/stored.js';
import { overSocket } from '../../api/support/sockets.js';
import { type ApiWorld, makeApiWorld } from '../../api/support/world.js';
import { useTestApi } from '../../support/api.js';
import { useTestDb } from '../../support/db.js';

const db = useTestDb();
const api = useTestApi(db);

const QUESTION = `query ($id: ID!, $with: ForecastWith) { node(id: $id) { ... on Project { forecast(with: $with) {
  probabilityOnTime limits bindingSkills { name } total { experts workHours othersHours missingHours skill { name } }
  perSkill { skill { name } hoursPerWeek hoursByDeadline othersHours missingHours }
  fixes { expertHours { hours skill { name } } dropTasks safeDeadline } } } } }`;

const ask = async (token: string, world: ApiWorld, change: object | null = null) =>
  api.attempt(token, QUESTION, { id: world.projectId, with: change });

/** A forecast that was just made, of two experts who are too few. */
async function withForecast(of: Partial<StoredCapacity> = {}): Promise<ApiWorld> {
  const world = await makeApiWorld(api);
  const skillId = String(api.server.app.ids.decode(world.skillId)?.id);
  const figures = { experts: 2, hoursAWeek: 14.2, hoursByDeadline: 13, workHours: 61, othersHours: 9.5 };
  const capacity: StoredCapacity = {
    total: figures,
    skills: [{ skillId, ...figures }],
    own: { skillId, experts: 2, hoursAWeek: 14.2 },
    availableHours: 4,
    fixes: {
      expertHours: [{ skillId, hours: 70 }],
      dropTasks: null,
      safeDeadline: '2030-01-01T00:00:00.000Z',
    },
    medianSeconds: 3_600,
    ...of,
  };
  await db.admin.query(
    `insert into forecasts (tenant_id, batch_id, project_id, customer_id, computed_at, remaining, answers_per_hour, expected_done_at,
                            deadline, probability_on_time, at_risk, seconds, capacity)
     select b.tenant_id, b.id, b.project_id, b.customer_id, app.clock_now(), 3, 1, app.clock_now(), app.clock_now(), .05, false,
            array_fill(3600::float8, array[19]), $2::jsonb
     from batches b where b.tenant_id = $1
     on conflict (tenant_id, batch_id) do update set computed_at = excluded.computed_at, expected_done_at = excluded.expected_done_at,
       deadline = excluded.deadline, probability_on_time = .05, seconds = excluded.seconds, capacity = excluded.capacity`,
    [world.tenantId, JSON.stringify(capacity)],
  );
  return world;
}

test('staff are shown what binds a forecast, what others have to do, and what would fix it', async () => {
  const world = await withForecast();
  const { data } = await ask(world.operator, world);
  const { forecast } = data.node;
  expect(forecast.limits).toEqual([
    '2 qualified experts, 14 h a week together, 61 h of work and 9.5 h of other work that is due before',
  ]);
  expect(forecast.bindingSkills).toEqual([{ name: 'Skill plain' }]);
  expect(forecast.total).toEqual({
    experts: 2,
    workHours: 61,
    othersHours: 9.5,
    missingHours: 70,
    skill: null,
  });
  expect(forecast.perSkill).toEqual([
    {
      skill: { name: 'Skill plain' },
      hoursPerWeek: 14.2,
      hoursByDeadline: 13,
      othersHours: 9.5,
      missingHours: 70,
    },
  ]);
  expect(forecast.fixes).toEqual({
    expertHours: [{ hours: 70, skill: { name: 'Skill plain' } }],
    dropTasks: null,
    safeDeadline: '2030-01-01T00:00:00.000Z',
  });
});

test('each skill that the work asks for is told with when it is done, and only those that bind are called so', async () => {
  const figures = { experts: 2, hoursAWeek: 14.2, hoursByDeadline: 13, workHours: 61, othersHours: 9.5 };
  const world = await withForecast();
  const [{ id: deciding }] = (
    await db.admin.query(`insert into skills (tenant_id, name) values ($1, 'deciding') returning id`, [
      world.tenantId,
    ])
  ).rows;
  const plain = String(api.server.app.ids.decode(world.skillId)?.id);
  const work = [plain, String(deciding)].map((skillId, place) => ({
    skillId,
    ...figures,
    chance: 0.5,
    seconds: Array.from({ length: 19 }, (_, n) => (place + 1) * (n + 1) * 60),
  }));
  await db.admin.query(
    `update forecasts set capacity = jsonb_set(capacity, '{work}', $2::jsonb), computed_at = app.clock_now() where tenant_id = $1`,
    [world.tenantId, JSON.stringify(work)],
  );
  const query = `query ($id: ID!) { node(id: $id) { ... on Project { forecast { computedAt bindingSkills { name } quantiles { at }
    total { quantiles { at } } perSkill { skill { name } quantiles { probability at } } } } } }`;
  const told = async (token: string) =>
    (await api.attempt(token, query, { id: world.projectId })).data.node.forecast;
  const { computedAt, perSkill, bindingSkills, ...whole } = await told(world.operator);
  expect(bindingSkills).toEqual([{ name: 'Skill plain' }]);
  expect(whole.total.quantiles).toEqual(whole.quantiles);
  const minutes = (at: string) => (Date.parse(at) - Date.parse(computedAt)) / 60_000;
  const shown = perSkill.map(
    (one: { skill: { name: string }; quantiles: { probability: number; at: string }[] }) => [
      one.skill.name,
      one.quantiles.map(({ probability, at }) => [probability, minutes(at)]),
    ],
  );
  const of = (times: number) =>
    [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95].map((probability) => [probability, times * 20 * probability]);
  const close = (times: number) =>
    of(times).map(([probability, at]) => [probability, expect.closeTo(at ?? 0, 2)]);
  expect(shown).toEqual([
    ['Skill plain', close(1)],
    ['deciding', close(2)],
  ]);
  // Customers: that of their tasks.
  expect(
    (await told(world.customer)).perSkill.map((one: { skill: { name: string } }) => one.skill.name),
  ).toEqual(['Skill plain']);
});

test('customers are shown who can do their work and what is left of them for it, and not what others have to do', async () => {
  const world = await withForecast();
  const { forecast } = (await ask(world.customer, world)).data.node;
  expect(forecast.limits).toEqual([
    '2 qualified experts, 15 h a week together, 5 h of them left for this, 61 h of work',
  ]);
  expect(forecast.total).toEqual({
    experts: 2,
    workHours: 61,
    othersHours: null,
    missingHours: 70,
    skill: null,
  });
  expect(forecast.perSkill).toEqual([
    {
      skill: { name: 'Skill plain' },
      hoursPerWeek: 15,
      hoursByDeadline: null,
      othersHours: null,
      missingHours: 70,
    },
  ]);
});

test('customers are shown no skill that binds only because others want it, nor its experts', async () => {
  const seen = async (of: Partial<StoredCapacity>) => {
    const world = await withForecast(of);
    return (await ask(world.customer, world)).data.node.forecast;
  };
  const other = { experts: 9, hoursAWeek: 300, hoursByDeadline: 200, workHours: 61, othersHours: 150 };
  expect(await seen({ total: other, skills: [{ skillId: '1', ...other }] })).toEqual(await seen({}));
});

test('what is never done and hangs on two experts is shown as it was stored, whatever has finished', async () => {
  const world = await withForecast();
  await db.admin.query(
    `update forecasts set finished = 30, expected_done_at = null, seconds = array_fill(630720000::float8, array[19]),
            computed_at = app.clock_now() where tenant_id = $1`,
    [world.tenantId],
  );
  const query = `query ($id: ID!) { node(id: $id) { ... on Project { forecast { confidence expectedDoneAt limits } } } }`;
  const { data } = await api.attempt(world.customer, query, { id: world.projectId });
  expect(data.node.forecast).toMatchObject({ confidence: 'LOW', expectedDoneAt: null });
  expect(data.node.forecast.limits[0]).toMatch(/^2 qualified experts/);
});

test('deadlineRisk says what would make the deadline', async () => {
  const world = await withForecast();
  const query = `subscription ($id: ID!) { deadlineRisk(projectId: $id) {
    atRisk fixes { expertHours { hours skill { name } } dropTasks safeDeadline } } }`;
  for await (const { data } of overSocket(api, world.customer, {
    query,
    variables: { id: world.projectId },
  })) {
    expect(data?.deadlineRisk.fixes).toEqual({
      expertHours: [{ hours: 70, skill: { name: 'Skill plain' } }],
      dropTasks: null,
      safeDeadline: '2030-01-01T00:00:00.000Z',
    });
    break;
  }
});

test('what would be is for who may see the forecast, and what is out of range is refused by its code', async () => {
  const world = await withForecast();
  const codes = async (token: string, change: object) =>
    (await ask(token, world, change)).errors?.map(({ extensions }) => extensions?.code) ?? [];
  expect(await codes(world.customer, { dropTasks: 1 })).toEqual([]);
  expect(await codes(world.customer, { dropTasks: 3 })).toEqual(['INPUT_INVALID']);
  expect(await codes(world.operator, { extraExperts: [{ count: 0 }] })).toEqual(['INPUT_INVALID']);
  expect(
    await codes(world.operator, { extraExperts: Array.from({ length: 21 }, () => ({ count: 1 })) }),
  ).toEqual(['INPUT_INVALID']);
  expect(await codes(world.operator, { deadline: '2020-01-01T00:00:00Z' })).toEqual(['INPUT_INVALID']);
  // Whoever holds one of its tasks may see the project, and nothing of when it will be done.
  const expert = world.experts[0]?.token ?? '';
  await api.graphql(expert, 'mutation { claimTask(input: {}) { __typename } }');
  expect((await ask(expert, world, { dropTasks: 1 })).data?.node?.forecast ?? null).toBeNull();
});
