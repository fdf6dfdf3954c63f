import { expect, test } from 'vitest';
import { tellBars } from '../../src/services/quality/scores/newcomers.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { plantGold } from '../support/planted-gold.js';
import { claimOne, submitOne } from './support/answering.js';
import { overSocket } from './support/sockets.js';
import { makeApiWorld } from './support/world.js';

// What becomes of quality, as each role hears it.

const db = useTestDb();
const api = useTestApi(db);

const EVENTS = `subscription($id: ID, $after: String) { qualityEvents(projectId: $id, after: $after) {
  cursor reset kind expertId skillId projectId taskId phase finding reason } }`;

async function subscribe(token: string, variables: Record<string, unknown> = {}) {
  const items = overSocket(api, token, { query: EVENTS, variables });
  const next = async () => {
    const { errors, data } = (await items.next()).value ?? {};
    return errors?.[0] ?? data?.qualityEvents;
  };
  return { next };
}

test('a task that goes to adjudication is told to its customer and to staff, and to no other customer', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const other = await makeApiWorld(api, { tasks: 0 });
  const customer = await subscribe(world.customer, { id: world.projectId });
  const analyst = await subscribe(world.analyst);
  expect(await customer.next()).toMatchObject({ kind: 'CURRENT', reset: false });
  expect(await analyst.next()).toMatchObject({ kind: 'CURRENT' });
  expect(await (await subscribe(world.customer)).next()).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
  expect(await (await subscribe(other.customer, { id: world.projectId })).next()).toMatchObject({
    extensions: { code: 'NOT_FOUND' },
  });
  const expert = world.experts[0]?.token ?? '';
  const held = await claimOne(api, expert);
  await submitOne(api, expert, held);
  const task = 'query($id: ID!) { node(id: $id) { ... on Assignment { task { id } } } }';
  const { data } = await api.graphql(world.operator, task, { id: held });
  const taskId = data.node.task.id;
  const escalate = 'mutation($input: EscalateTaskInput!) { escalateTask(input: $input) { __typename } }';
  await api.graphql(world.operator, escalate, { input: { taskId, reason: 'Look again.' } });
  const told = { kind: 'ADJUDICATION', projectId: world.projectId, taskId, reason: 'Look again.' };
  expect(await customer.next()).toMatchObject(told);
  expect(await analyst.next()).toMatchObject(told);
});

test('staff hear of decisions at once, an expert of what is in effect, each of their own', async () => {
  const world = await makeApiWorld(api, { tasks: 0, experts: 2 });
  const [expert, colleague] = world.experts;
  const skill = {
    expertId: api.server.app.ids.decode(expert?.id ?? '')?.id,
    skillId: api.server.app.ids.decode(world.skillId)?.id,
  };
  const own = await subscribe(expert?.token ?? '');
  const others = await subscribe(colleague?.token ?? '');
  const staff = await subscribe(world.operator);
  expect(await staff.next()).toMatchObject({ kind: 'CURRENT' });
  expect(await own.next()).toMatchObject({ kind: 'CURRENT' });
  expect(await others.next()).toMatchObject({ kind: 'CURRENT' });
  const { rows } = await db.admin.query(
    `insert into standing_notices (tenant_id, expert_id, skill_id, phase, reason, at, evidence)
     values ($1, $2, $3, 'WARNED', 'ACCURACY_BELOW_BAR', now(), '{}') returning id`,
    [world.tenantId, skill.expertId, skill.skillId],
  );
  const warned = { kind: 'STANDING', expertId: expert?.id, skillId: world.skillId, phase: 'WARNED' };
  expect(await staff.next()).toMatchObject(warned);
  const shown = (expertId: unknown, noticeId: unknown) =>
    db.admin.query(
      `insert into shown_notices (tenant_id, notice_id, expert_id, skill_id, shown_at) values ($1, $2, $3, $4, now())`,
      [world.tenantId, noticeId, expertId, skill.skillId],
    );
  await shown(skill.expertId, rows[0].id);
  expect(await own.next()).toMatchObject(warned);
  // The colleague's next is their own, and nothing was before it.
  const theirs = await db.admin.query(
    `insert into standing_notices (tenant_id, expert_id, skill_id, phase, reason, at, evidence)
     values ($1, $2, $3, 'CLEAR', 'RETEST_PASSED', now(), '{}') returning id, expert_id`,
    [world.tenantId, api.server.app.ids.decode(colleague?.id ?? '')?.id, skill.skillId],
  );
  await shown(theirs.rows[0].expert_id, theirs.rows[0].id);
  expect(await others.next()).toMatchObject({ kind: 'STANDING', phase: 'CLEAR', expertId: colleague?.id });
});

test('a gold that ends and a finding are told to staff alone', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const staff = await subscribe(world.analyst);
  expect(await staff.next()).toMatchObject({ kind: 'CURRENT' });
  await plantGold(db.admin, world.tenantId);
  expect(await staff.next()).toMatchObject({
    kind: 'FINDING',
    finding: 'PEER_GAP',
    projectId: world.projectId,
  });
  await db.admin.query(
    `update golds set state = 'ACTIVE', ended_at = null, reason = null where tenant_id = $1`,
    [world.tenantId],
  );
  await db.admin.query(
    `update golds set state = 'RETIRED', ended_at = now(), reason = 'worn' where tenant_id = $1`,
    [world.tenantId],
  );
  expect(await staff.next()).toMatchObject({ kind: 'GOLD_ENDED', reason: 'worn' });
});

test('an expert is told when every bar of a skill is above what they are taken for, and when it is so no longer; staff hear of results', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const [expert] = world.experts;
  const own = await subscribe(expert?.token ?? '');
  const staff = await subscribe(world.operator);
  expect(await own.next()).toMatchObject({ kind: 'CURRENT' });
  expect(await staff.next()).toMatchObject({ kind: 'CURRENT' });
  const about = { expertId: expert?.id, skillId: world.skillId };
  const bar = async (least: number | null) => {
    await db.admin.query('update skills set least_bar = $2 where tenant_id = $1', [world.tenantId, least]);
    while (await tellBars(db.database, 1));
  };
  const become = (lower: number) =>
    db.admin.query('update expert_skills set quality_lower = $2 where tenant_id = $1', [
      world.tenantId,
      lower,
    ]);
  await bar(0.85);
  expect(await own.next()).toMatchObject({ kind: 'BELOW_BAR', ...about });
  // Whoever comes now is told how it stands.
  const again = await subscribe(expert?.token ?? '');
  expect(await again.next()).toMatchObject({ kind: 'BELOW_BAR', ...about });
  expect(await again.next()).toMatchObject({ kind: 'CURRENT' });
  await become(0.86);
  expect(await own.next()).toMatchObject({ kind: 'BAR_REACHED', ...about });
  expect(await staff.next()).toMatchObject({ kind: 'BAR_REACHED', ...about });
  await become(0.7);
  expect(await own.next()).toMatchObject({ kind: 'BELOW_BAR', ...about });
  expect(await staff.next()).toMatchObject({ kind: 'BELOW_BAR', ...about });
  await bar(0.6);
  expect(await own.next()).toMatchObject({ kind: 'BAR_REACHED', ...about });
});
