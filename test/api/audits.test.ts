// @once: what audits say of hundreds of tasks is the same on every PostgreSQL; test/quality looks at each statement on both
import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { expectRulesHold } from '../support/rules.js';
import { until } from './support/until.js';
import { makeApiWorld, makeBatch } from './support/world.js';

// An audit from the answers to what it says of them: a truth, a result of those who answered, and what makes a calibration.

const db = useTestDb();
const api = useTestApi(db);
const TASKS = 360;
const SHARE = 0.2;

const CLAIM = `mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id lease { epoch } } } } }`;
const SUBMIT = `mutation($i: SubmitInput!) { submit(input: $i) { ... on SubmitPayload { next { assignment { id lease { epoch } } } } } }`;
const SET = `mutation($i: SetRedundancyInput!) { setRedundancy(input: $i) { ... on SetRedundancyPayload { project { auditShare } } } }`;
const METHODS = `query($id: ID!) { judgingMethods(projectId: $id) { reason isCalibrated goldTasks goldAnswers goldItems }
  node(id: $id) { ... on Project { progress { tasksDone adjudications adjudicationsOpen } } } }`;
const SCORES = `query($id: ID) { expertQuality(expertId: $id) { scores { results mean taskType { id } } } }`;

interface Held {
  readonly id: string;
  readonly lease: { readonly epoch: number };
}

/** Answers all that somebody is given, the n-th as told. */
async function work(token: string, choiceOf: (n: number) => 'yes' | 'no'): Promise<void> {
  let held: Held | null = (await api.graphql(token, CLAIM)).data.claimTask.assignment;
  for (let n = 0; held !== null; n++) {
    const i = {
      assignmentId: held.id,
      leaseEpoch: held.lease.epoch,
      answer: { choice: choiceOf(n) },
      claimNext: true,
    };
    const { next } = (await api.graphql(token, SUBMIT, { i })).data.submit;
    held = (next ?? (await api.graphql(token, CLAIM)).data.claimTask).assignment;
  }
}

test('tasks that are drawn go to a stronger expert whatever they say, whose word grades them and calibrates the project', async () => {
  const world = await makeApiWorld(api, { experts: 3, tasks: 0 });
  const { customer, projectId, tenantId } = world;
  const rule = { projectId, fixed: { answers: 2 }, firstGoldMax: 0, auditShare: SHARE };
  const set = await api.graphql(customer, SET, { i: rule });
  expect(set.data.setRedundancy.project).toEqual({ auditShare: SHARE });
  await makeBatch(api, customer, { projectId, tasks: TASKS, marker: 'to be audited' });
  const [one, other, stronger] = world.experts.map(({ token }) => token) as [string, string, string];
  await Promise.all([work(one, () => 'yes'), work(other, (n) => (n % 10 === 0 ? 'no' : 'yes'))]);

  const { rows } = await db.admin.query(
    `select t.id::text, d.reason, app.is_drawn(t.tenant_id, t.id, $2) as drawn, w.reason as told
     from tasks t join task_decisions d on d.tenant_id = t.tenant_id and d.task_id = t.id
     left join truth_draws w on w.tenant_id = t.tenant_id and w.task_id = t.id
     where t.tenant_id = $1 and t.kind = 'WORK' and d.next = 'ADJUDICATE'`,
    [tenantId, SHARE],
  );
  const drawn = rows.filter((row) => row.drawn);
  // Those that nobody doubts for being drawn alone; those at odds go anyhow, and are drawn as often.
  expect(new Set(drawn.map(({ reason }) => reason))).toEqual(new Set(['AUDIT', 'TIE']));
  expect(drawn.every(({ told }) => told === 'AUDIT')).toBe(true);
  expect(
    rows.filter((row) => !row.drawn).every(({ reason, told }) => reason === 'TIE' && told === null),
  ).toBe(true);
  expect(drawn.length).toBeGreaterThanOrEqual(50);

  await work(stronger, () => 'yes');
  await db.advance(601);
  const methods = async () => (await api.graphql(world.analyst, METHODS, { id: projectId })).data;
  await until(async () => (await methods()).judgingMethods[0].goldTasks === drawn.length, 'the version');
  const found = await methods();
  expect(found.node.progress).toEqual({ tasksDone: TASKS, adjudications: rows.length, adjudicationsOpen: 0 });
  expect(found.judgingMethods).toEqual([
    {
      reason: 'CHOSEN_ON_GOLD',
      isCalibrated: true,
      goldTasks: drawn.length,
      goldAnswers: 2 * drawn.length,
      goldItems: drawn.length,
    },
  ]);
  const means = [];
  for (const { id } of world.experts.slice(0, 2)) {
    const score = async () => {
      const { scores } = (await api.graphql(world.analyst, SCORES, { id })).data.expertQuality;
      return scores.find(({ taskType }: { taskType: object | null }) => taskType === null);
    };
    await until(async () => (await score())?.results === rows.length, 'the fold');
    means.push((await score()).mean);
  }
  // Who was right each time, and who was wrong where they were at odds.
  expect(means[0]).toBeGreaterThan(means[1] + 0.1);
  await expectRulesHold(db.database);
}, 180_000);
