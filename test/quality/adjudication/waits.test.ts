import { expect, test } from 'vitest';
import { setExpertSkill } from '../../../src/services/access/people.js';
import { withSystem } from '../../../src/services/platform/database.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { watchAdjudications } from '../../../src/services/quality/adjudication/waits.js';
import { watched } from '../../../src/services/quality/adjudication/waits.sql.js';
import { useTestDb } from '../../support/db.js';
import { at, makeBatch, makeExpert, makeWorld, type World } from '../../support/factories.js';
import { makeGolds } from '../../support/golds.js';
import { expectRulesHold } from '../../support/rules.js';
import { submit, take } from '../../support/work.js';

// An adjudication that nobody may take waits for ever: staff and the customer are told.
const t = useTestDb();

/** A project with one task on which three have disagreed, so that it waits for a stronger expert. */
async function disputed({ quality }: { quality: number }): Promise<World> {
  const world = await makeWorld(t.database, { experts: 3, tasks: 0, quality });
  const { projectId, operator } = world;
  const policy = { kind: 'AGREE', agree: 2, max: 3 } as const;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  await makeBatch(t.database, world, { projectId, tasks: 1 });
  for (const [index, choice] of (['yes', 'no', 'unsure'] as const).entries()) {
    const expert = at(world.experts, index);
    await submit(t.database, expert, { ...(await take(t.database, expert)), choice });
  }
  return world;
}

const waitsOf = async ({ tenantId }: World) =>
  (await t.admin.query('select tasks, min_quality from adjudication_waits where tenant_id = $1', [tenantId]))
    .rows;

const eventsOf = async ({ tenantId, projectId }: World) =>
  (
    await t.admin.query(
      `select stream, kind, body ->> 'reason' as reason from stream_events
       where tenant_id = $1 and kind like 'ADJUDICATIONS%' and body ->> 'projectId' = $2 order by id`,
      [tenantId, String(projectId)],
    )
  ).rows.map(({ stream, kind, reason }) => [stream.replace(/\d+$/, 'N'), kind, reason]);

test('who has answered the task cannot judge it: where only they are good enough it waits, and all who should know are told once', async () => {
  const world = await disputed({ quality: 0.9 });
  await watchAdjudications(t.database);
  await watchAdjudications(t.database);
  expect(await waitsOf(world)).toEqual([{ tasks: 1, min_quality: 0.8 }]);
  expect(await eventsOf(world)).toEqual([
    ['quality/project/N', 'ADJUDICATIONS_WAIT', 'NOBODY_REACHES_THE_BAR'],
    ['quality/staff', 'ADJUDICATIONS_WAIT', 'NOBODY_REACHES_THE_BAR'],
  ]);
  await expectRulesHold(t.database);
});

test('it goes on as soon as somebody is good enough, and that is told too', async () => {
  const world = await disputed({ quality: 0.79 });
  const other = await makeExpert(t.database, world, []);
  const skill = { expertId: other.expertId, skillId: world.skillId, status: 'ACTIVE' } as const;
  await setExpertSkill(t.database, world.operator, { ...skill, qualityMean: 0.8, qualityLower: 0.79 });
  await watchAdjudications(t.database);
  expect(await waitsOf(world)).toHaveLength(1);
  await setExpertSkill(t.database, world.operator, { ...skill, qualityMean: 0.95, qualityLower: 0.9 });
  await watchAdjudications(t.database);
  expect(await waitsOf(world)).toEqual([]);
  expect((await eventsOf(world)).map(([, kind]) => kind)).toEqual([
    'ADJUDICATIONS_WAIT',
    'ADJUDICATIONS_WAIT',
    'ADJUDICATIONS_GO_ON',
    'ADJUDICATIONS_GO_ON',
  ]);
  // Who is paused, or may not work for the customer, is nobody.
  await t.admin.query(
    `insert into conflicts (tenant_id, expert_id, customer_id, reason) values ($1, $2, $3, 'related')`,
    [world.tenantId, other.expertId, world.customer.customerId],
  );
  await watchAdjudications(t.database);
  expect(await waitsOf(world)).toHaveLength(1);
});

test('gold takes no place of an adjudication, for which a finished task waits', async () => {
  const world = await disputed({ quality: 0.79 });
  const { tenantId, skillId, projectId } = world;
  const other = await makeExpert(t.database, world, []);
  const quality = { qualityMean: 0.95, qualityLower: 0.9 };
  const skill = { expertId: other.expertId, skillId, status: 'ACTIVE', ...quality } as const;
  await setExpertSkill(t.database, world.operator, skill);
  const golds = await makeGolds(t.database, world, { keys: ['yes', 'no'] });
  const held = await take(t.database, other);
  const { rows } = await t.admin.query('select task_id from adjudications where tenant_id = $1', [tenantId]);
  expect(rows).toEqual([{ task_id: String(held.taskId) }]);
  await submit(t.database, other, held);
  // (Chance draws 0 always here: it does take that of other work.)
  await makeBatch(t.database, world, { projectId, tasks: 1 });
  expect(golds).toContain((await take(t.database, other)).taskId);
  await expectRulesHold(t.database);
});

test('a project that is cancelled waits for nobody', async () => {
  const world = await disputed({ quality: 0.79 });
  await watchAdjudications(t.database);
  expect(await waitsOf(world)).toHaveLength(1);
  await t.admin.query(
    `update projects set state = 'CANCELLED', cancel_policy = 'STOP', cancelled_at = now() where id = $1`,
    [world.projectId],
  );
  await watchAdjudications(t.database);
  expect(await waitsOf(world)).toEqual([]);
});

test('however much waits in one project, no other is forgotten: nothing is told twice', async () => {
  const worlds = [await disputed({ quality: 0.79 }), await disputed({ quality: 0.79 })] as const;
  for (let look = 0; look < 3; look++) {
    await withSystem(t.database, (tx) => watched(tx, 1));
  }
  for (const world of worlds) {
    expect(await waitsOf(world)).toHaveLength(1);
    expect(await eventsOf(world)).toHaveLength(2);
  }
});
