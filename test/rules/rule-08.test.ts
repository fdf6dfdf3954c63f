import { expect, test } from 'vitest';
import { spend, statement } from '../../src/services/payouts/statement.js';
import { flagTask } from '../../src/services/routing/lease.js';
import { verify } from '../../src/services/verify.js';
import { useTestDb } from '../support/db.js';
import { makeProject, makeWorld, unique } from '../support/factories.js';
import { assignmentRow, behind } from '../support/interleave.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold, stampAll } from '../support/rules.js';
import { answerNext, atOnce, outcome, submit, take } from '../support/work.js';

// Rule 8: one assignment, one payout of a kind. Posted ledger lines are never changed; every posting sums to zero;
// balances equal their lines.
const t = useTestDb();

const PERMANENT = [
  'answers',
  'answer_values',
  'task_flags',
  'postings',
  'ledger_lines',
  'payouts',
  'ledger_stamps',
  'ledger_entries',
];
const payoutsOf = (tenantId: bigint) =>
  numberOf(t.admin, 'select count(*) from payouts where tenant_id = $1', [tenantId]);

test('two submits that waited for the same assignment pay once', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const ends = await behind<unknown>(t, assignmentRow(tenantId, held.id), [
    () => submit(t.database, ada, held),
    () => submit(t.database, ada, held),
  ]);
  expect(ends.map((end) => end.status)).toEqual(['fulfilled', 'fulfilled']);
  expect(ends[0]).toEqual(ends[1]);
  expect(await payoutsOf(tenantId)).toBe(1);
  await expectRulesHold(t.database);
});

test('the price is the one of the claim, to the cent, and the statement and the spend agree at every moment', async () => {
  const world = await makeWorld(t.database, { experts: 5, tasks: 20, project: { priceMinor: 7n } });
  const looks = atOnce(6, async () => {
    const { balances, lines } = await statement(t.database, world.ada.viewer, { limit: 1000 });
    const total = lines.reduce((sum, line) => sum + line.amountMinor, 0n);
    // The two are read in two statements: what was paid between them is in the later one only.
    expect(total).toBeGreaterThanOrEqual(balances[0]?.balanceMinor ?? 0n);
  });
  const stamping = stampAll(t.database);
  await Promise.all(world.experts.map(async (expert) => atFour(() => answerNext(t.database, expert))));
  await Promise.all([looks, stamping]);
  const mine = await statement(t.database, world.ada.viewer, { limit: 1000 });
  expect(mine.balances).toEqual([{ currency: 'EUR', balanceMinor: 28n }]);
  const spent = await spend(t.database, world.customer.viewer, { projectId: world.projectId });
  expect(spent).toMatchObject([{ amountMinor: 140n, answers: 20n, currency: 'EUR' }]);
  await expectRulesHold(t.database);
  expect((await statement(t.database, world.ada.viewer, { limit: 1 })).balances).toEqual(mine.balances);
});

test('balances equal their lines at any moment of the sequencer’s work', async () => {
  const { experts, tenantId } = await makeWorld(t.database, { experts: 6, tasks: 36 });
  const work = Promise.all(experts.map((expert) => atFour(() => answerNext(t.database, expert))));
  let done = false;
  const stamping = (async () => {
    while (!done) {
      await stampAll(t.database);
    }
  })();
  const looking = (async () => {
    let looks = 0;
    while (!done) {
      expect(await numberOf(t.admin, WRONG_BALANCES, [tenantId])).toBe(0);
      looks += 1;
    }
    return looks;
  })();
  await work;
  done = true;
  await stamping;
  expect(await looking).toBeGreaterThan(0);
  await expectRulesHold(t.database);
});

test('two sequencers at once number nothing twice', async () => {
  const { experts } = await makeWorld(t.database, { experts: 4, tasks: 16 });
  await Promise.all(experts.map((expert) => atFour(() => answerNext(t.database, expert))));
  const rounds = await Promise.allSettled(atOnceList(6, () => stampAll(t.database)));
  expect(rounds.some((round) => round.status === 'fulfilled')).toBe(true);
  await expectRulesHold(t.database);
});

test.each(PERMANENT)('%s refuses every change, even to who may do anything', async (table) => {
  const { ada, bob } = await makeWorld(t.database, { experts: 2, project: { redundancy: 3 } });
  await answerNext(t.database, ada);
  const held = await take(t.database, bob);
  const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
  await flagTask(t.database, bob.viewer, { ...lease, reason: 'OTHER' });
  await stampAll(t.database);
  expect(await numberOf(t.admin, `select count(*) from ${table}`)).toBeGreaterThan(0);
  const refused = { code: 'XR001' };
  await expect(t.admin.query(`update ${table} set tenant_id = tenant_id`)).rejects.toMatchObject(refused);
  await expect(t.admin.query(`delete from ${table}`)).rejects.toMatchObject(refused);
  await expect(t.admin.query(`truncate ${table} cascade`)).rejects.toMatchObject(refused);
  await expect(
    t.admin
      .query(`set role touchstone_owner; truncate ${table} cascade`)
      .finally(() => t.admin.query('reset role')),
  ).rejects.toMatchObject(refused);
});

test('no partition of a permanent table can be emptied behind its back', async () => {
  const { rows } = await t.admin.query<{ name: string }>(
    `select i.inhrelid::regclass::text as name from pg_inherits i
     join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
     where i.inhparent::regclass::text = any ($1)`,
    [PERMANENT],
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { name } of rows) {
    await expect(t.admin.query(`truncate ${name}`)).rejects.toMatchObject({ code: 'XR001' });
  }
});

test.each([
  ['does not sum to zero', ['EUR 25', 'EUR -24']],
  ['has one line only', ['EUR 0']],
  ['sums to zero over all currencies and in none', ['EUR 5', 'USD -5']],
])('a posting that %s is refused whole', async (_what, amounts) => {
  const { tenantId, projectId } = await makeWorld(t.database, { tasks: 0 });
  await t.admin.query('begin');
  const posting = await numberOf(
    t.admin,
    `insert into postings (tenant_id, kind, project_id, created_at) values ($1, 'EARNING', $2, now()) returning id`,
    [tenantId, projectId],
  );
  const lines = amounts.map((amount, n) => {
    const [currency, minor] = amount.split(' ');
    return `(${tenantId}, ${posting}, ${n + 1}, 'EXPERT', 1, '${currency}', ${minor})`;
  });
  await expect(
    t.admin.query(
      `insert into ledger_lines (tenant_id, posting_id, line_no, owner_kind, owner_id, currency, amount_minor)
       values ${lines.join(', ')}`,
    ),
  ).rejects.toMatchObject({ code: 'XR002' });
  await t.admin.query('rollback');
});

test('a line cannot be added to a posting that stands', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  await answerNext(t.database, ada);
  await expect(
    t.admin.query(
      `insert into ledger_lines (tenant_id, posting_id, line_no, owner_kind, owner_id, currency, amount_minor)
       select tenant_id, id, n, 'EXPERT', 1, 'EUR', case n when 8 then 5 else -5 end
       from postings cross join generate_series(8, 9) n where tenant_id = $1`,
      [tenantId],
    ),
  ).rejects.toMatchObject({ code: 'XR002' });
});

test('the database itself refuses a second payout of an assignment', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await answerNext(t.database, ada);
  const again = `insert into payouts (tenant_id, assignment_id, kind, posting_id, expert_id, customer_id, project_id, amount_minor, currency, created_at)
    select tenant_id, assignment_id, kind, nextval('postings_id_seq'), expert_id, customer_id, project_id, amount_minor, currency, created_at
    from payouts where tenant_id = $1 and assignment_id = $2`;
  await expect(t.admin.query(again, [tenantId, held.id])).rejects.toMatchObject({
    constraint: 'payouts_once',
  });
  await expectRulesHold(t.database);
});

test('a broken hash chain is found', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  await answerNext(t.database, ada);
  await stampAll(t.database);
  await t.admin.query(`begin; set local session_replication_role = replica`);
  await t.admin.query('update ledger_lines set amount_minor = amount_minor * 2 where tenant_id = $1', [
    tenantId,
  ]);
  await t.admin.query('commit');
  const broken = (await verify(t.database)).filter((finding) => finding.broken > 0);
  expect(broken.map((finding) => finding.claim)).toContain(
    'Posting numbers are dense, and each hash covers its posting and the hash before it.',
  );
  await t.admin.query(`begin; set local session_replication_role = replica`);
  await t.admin.query('update ledger_lines set amount_minor = amount_minor / 2 where tenant_id = $1', [
    tenantId,
  ]);
  await t.admin.query('commit');
  await expectRulesHold(t.database);
});

test.each([
  {
    what: 'payout or line whose posting',
    table: 'postings',
    claim: 'Every line, payout and number belongs to a posting of its tenant.',
    count: 4,
  },
  {
    what: 'entry whose number',
    table: 'ledger_stamps',
    claim: 'Every entry of an account belongs to a number of its tenant.',
    count: 2,
  },
])('a $what is gone is found', async ({ table, claim, count }) => {
  const { ada, tenantId } = await makeWorld(t.database);
  await answerNext(t.database, ada);
  await stampAll(t.database);
  const move = async (from: bigint, to: bigint) => {
    await t.admin.query(`begin; set local session_replication_role = replica`);
    await t.admin.query(`update ${table} set tenant_id = $2 where tenant_id = $1`, [from, to]);
    await t.admin.query('commit');
  };
  await move(tenantId, -tenantId);
  const broken = (await verify(t.database)).filter((finding) => finding.broken > 0);
  expect(broken).toContainEqual(expect.objectContaining({ claim, broken: count }));
  await move(-tenantId, tenantId);
  await expectRulesHold(t.database);
});

test('one idempotency key is one project, however often it is sent at once', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const idempotencyKey = unique('key');
  const same = { name: 'The same', idempotencyKey, minQuality: 0.31 };
  const ids = await atOnce(12, () => makeProject(t.database, world, same));
  expect(new Set(ids).size).toBe(1);
  const other = makeProject(t.database, world, { ...same, name: 'Another' });
  expect(await outcome(other)).toBe('IDEMPOTENCY_CONFLICT');
});

test('projects that open a new lane at once all get it', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const ids = await atOnce(12, () => makeProject(t.database, world, { minQuality: 0.63 }));
  expect(new Set(ids).size).toBe(12);
});

/** Accounts whose checkpoint and tail are not what their lines say, in one snapshot. */
const WRONG_BALANCES = `
  with said as (
    select l.owner_kind, l.owner_id, l.currency, sum(l.amount_minor) as lines
    from ledger_lines l where l.tenant_id = $1 group by 1, 2, 3
  )
  select count(*) from said s
  where s.lines <> coalesce((
      select e.balance_minor from ledger_entries e
      where e.tenant_id = $1 and e.owner_kind = s.owner_kind and e.owner_id = s.owner_id and e.currency = s.currency
      order by e.entry_no desc limit 1), 0)
    + coalesce((
      select sum(l.amount_minor) from ledger_outbox o
      join ledger_lines l on l.tenant_id = o.tenant_id and l.posting_id = o.posting_id
      where o.tenant_id = $1 and l.owner_kind = s.owner_kind and l.owner_id = s.owner_id and l.currency = s.currency), 0)`;

async function atFour(work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < 4; n++) {
    await work();
  }
}

const atOnceList = <T>(count: number, call: () => Promise<T>): Promise<T>[] =>
  Array.from({ length: count }, call);
