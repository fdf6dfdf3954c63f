import { expect, test } from 'vitest';
import { useTestDb } from '../../support/db.js';
import { makeWorld, type World } from '../../support/factories.js';
import { makeGolds } from '../../support/golds.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { outcome, submit, take } from '../../support/work.js';

// What a submit of gold does in its transaction. Chance draws 0 always, so the first claim of everybody is gold.
const t = useTestDb();

const gradingsOf = async ({ tenantId }: World) =>
  (
    await t.admin.query(
      `select g.dimension, g.kind, g.truth, g.answered, g.is_right, g.stated, v.reason as voided
       from gradings g left join voided_gradings v on v.tenant_id = g.tenant_id and v.grading_id = g.id
       where g.tenant_id = $1 order by g.id`,
      [tenantId],
    )
  ).rows;

async function answered(choice: 'yes' | 'no', before: (world: World) => Promise<unknown> = async () => null) {
  const world = await makeWorld(t.database, { tasks: 2 });
  await makeGolds(t.database, world, { keys: ['yes'] });
  const held = await take(t.database, world.ada);
  await before(world);
  await submit(t.database, world.ada, { ...held, choice });
  return { world, held };
}

test('an answer to gold is graded against its key, once', async () => {
  const { world, held } = await answered('yes');
  const wrong = await answered('no');
  const right = {
    dimension: 'choice',
    kind: 'GOLD',
    truth: 'yes',
    answered: 'yes',
    is_right: true,
    stated: null,
    voided: null,
  };
  expect(await gradingsOf(world)).toEqual([right]);
  expect(await gradingsOf(wrong.world)).toEqual([{ ...right, answered: 'no', is_right: false }]);
  expect(await outcome(submit(t.database, world.ada, { ...held, choice: 'yes' }))).toBe('OK');
  expect(await outcome(submit(t.database, world.ada, { ...held, choice: 'no' }))).toBe('ALREADY_SUBMITTED');
  expect(await gradingsOf(world)).toEqual([right]);
  await expectRulesHold(t.database);
});

test('an answer to other work is graded by nothing', async () => {
  const world = await makeWorld(t.database, { tasks: 1 });
  await submit(t.database, world.ada, await take(t.database, world.ada));
  expect(await gradingsOf(world)).toEqual([]);
});

test('gold is paid like other work, by the tenant and not by the customer, and counts for no task', async () => {
  const { world, held } = await answered('no');
  const { rows } = await t.admin.query(
    'select owner_kind, owner_id, amount_minor::int as amount from ledger_lines where tenant_id = $1 order by line_no',
    [world.tenantId],
  );
  expect(rows).toEqual([
    { owner_kind: 'EXPERT', owner_id: String(world.ada.expertId), amount: 25 },
    { owner_kind: 'TENANT', owner_id: String(world.tenantId), amount: -25 },
  ]);
  expect(await numberOf(t.admin, 'select counted from tasks where id = $1', [held.taskId])).toBe(0);
  await expectRulesHold(t.database);
});

test.each([
  ['SUSPENDED', 'UNHEALTHY'],
  ['RETIRED', 'LEAKED'],
])('a grading by gold that is %s as %s is void at once', async (state, reason) => {
  const { world } = await answered('no', ({ tenantId }) =>
    t.admin.query('update golds set state = $2, reason = $3, ended_at = now() where tenant_id = $1', [
      tenantId,
      state,
      reason,
    ]),
  );
  expect(await gradingsOf(world)).toMatchObject([{ is_right: false, voided: reason }]);
});
