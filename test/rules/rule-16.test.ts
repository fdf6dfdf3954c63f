// @long
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope, ScopeRole } from '../../src/services/platform/database.js';
import { useTestDb } from '../support/db.js';
import { numberOf } from '../support/look.js';
import { leaveWaiting, type Populated, populate } from '../support/populate.js';
import { expectRulesHold } from '../support/rules.js';

// Rule 16: no query returns a row of another tenant, or of another customer to a customer; unset scope sees nothing.
// Every table of the catalogue with every role, over two tenants of two customers each, with rows in every table.
const t = useTestDb();

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** What an insert may name. */
  readonly insertable: readonly string[];
}

let ours: Populated;
let theirs: Populated;
let tables: Table[];
let app: pg.Client;

beforeAll(async () => {
  ours = await populate(t);
  theirs = await populate(t);
  await leaveWaiting(t.database, ours);
  await leaveWaiting(t.database, theirs);
  tables = await tablesOfTenants();
  app = new pg.Client({ connectionString: t.appUrl });
  await app.connect();
});
afterAll(() => app.end());

const ROLES: readonly ScopeRole[] = ['EXPERT', 'CUSTOMER', 'ANALYST', 'DISPATCHER', 'OPERATOR', 'SERVICE'];

/** The scope of a role in our tenant. */
function scopeOf(role: ScopeRole): Scope {
  return {
    tenantId: ours.world.tenantId,
    role,
    actorId: ours.world.ada.viewer.identityId,
    customerId: role === 'CUSTOMER' ? ours.world.customer.customerId : null,
    expertId: role === 'EXPERT' ? ours.world.ada.expertId : null,
  };
}

test('every table with a tenant has rows of both tenants, so that nothing below passes for want of rows', async () => {
  expect(tables.length).toBeGreaterThan(25);
  const empty: string[] = [];
  for (const { name } of tables) {
    for (const { world } of [ours, theirs]) {
      const rows = `select count(*) from ${name} where ${tenantOf(name)} = $1`;
      if ((await numberOf(t.admin, rows, [world.tenantId])) === 0) {
        empty.push(name);
      }
    }
  }
  expect(empty).toEqual([]);
});

test.each(ROLES)('%s reads no row of another tenant, in any table', async (role) => {
  const seen = await lookIn(scopeOf(role), (name) => ({
    text: `select count(*)::int as n from ${name} where ${tenantOf(name)} <> $1`,
    values: [ours.world.tenantId],
  }));
  expect(seen).toEqual({});
});

test('an unset scope, one without a role and one with an unknown role read nothing at all', async () => {
  const all = (name: string) => ({ text: `select count(*)::int as n from ${name}`, values: [] });
  expect(await lookIn(null, all)).toEqual({});
  expect(await lookIn({ ...scopeOf('OPERATOR'), role: '' as ScopeRole }, all)).toEqual({});
  expect(await lookIn({ ...scopeOf('OPERATOR'), role: 'ROOT' as ScopeRole }, all)).toEqual({});
  expect(await lookIn({ ...scopeOf('OPERATOR'), tenantId: -1n }, all)).toEqual({});
});

test('a customer reads no row of another customer', async () => {
  const mine = ours.world.customer.customerId;
  const seen = await lookIn(scopeOf('CUSTOMER'), (name, columns) => {
    if (name === 'customers') {
      return { text: 'select count(*)::int as n from customers where id <> $1', values: [mine] };
    }
    if (columns.includes('owner_kind')) {
      const text = `select count(*)::int as n from ${name} where owner_kind <> 'CUSTOMER' or owner_id <> $1`;
      return { text, values: [mine] };
    }
    return columns.includes('customer_id')
      ? { text: `select count(*)::int as n from ${name} where customer_id <> $1`, values: [mine] }
      : null;
  });
  expect(seen).toEqual({});
});

test('an expert reads no answer, draft, lease, flag, skill or payout of another expert', async () => {
  const me = ours.world.ada.expertId;
  const seen = await lookIn(scopeOf('EXPERT'), (name, columns) => {
    if (name === 'experts') {
      return { text: 'select count(*)::int as n from experts where id <> $1', values: [me] };
    }
    if (columns.includes('owner_kind')) {
      const text = `select count(*)::int as n from ${name} where owner_kind <> 'EXPERT' or owner_id <> $1`;
      return { text, values: [me] };
    }
    return columns.includes('expert_id')
      ? { text: `select count(*)::int as n from ${name} where expert_id is distinct from $1`, values: [me] }
      : null;
  });
  expect(seen).toEqual({});
});

test('each role sees its own, so that the policies do not hold by showing nothing', async () => {
  const all = (name: string) => ({ text: `select count(*)::int as n from ${name}`, values: [] });
  const seenBy = async (role: ScopeRole) => Object.keys(await lookIn(scopeOf(role), all)).sort();
  expect(await seenBy('SERVICE')).toEqual(tables.map((table) => table.name).sort());
  expect(await seenBy('EXPERT')).toEqual([
    ...['answer_forms', 'answer_values', 'answers', 'assignments'],
    ...['dispatch_settings', 'drafts', 'expert_skills', 'experts'],
    ...['identities', 'identity_roles', 'job_attachments', 'jobs', 'latest_fixes'],
    ...['ledger_entries', 'ledger_lines', 'offers', 'pauses', 'payouts'],
    ...['projects', 'retests'],
    ...['shown_calibrations', 'shown_notices', 'shown_scores', 'shown_standings', 'skills'],
    ...['standing_notices'],
    ...['stream_events', 'task_flags', 'task_types', 'tasks', 'tenants', 'trace_exports'],
    ...['workers'],
  ]);
  expect(await seenBy('CUSTOMER')).toEqual([
    ...['adjudication_waits', 'adjudications', 'agreement_cells', 'agreement_totals', 'agreement_values'],
    ...['alerts'],
    ...['answer_forms', 'answer_values', 'answers', 'assignments', 'batch_errors', 'batches'],
    ...['budget_changes', 'budget_stops'],
    ...['customers', 'forecast_log', 'forecast_marks', 'forecasts', 'identities', 'identity_roles'],
    ...[
      'inference_versions',
      'job_attachments',
      'jobs',
      'ledger_entries',
      'ledger_lines',
      'open_batches',
      'payouts',
      'project_budgets',
    ],
    ...['project_lifts'],
    ...['projects', 'risk_policies', 'skills', 'stream_events', 'task_decisions', 'task_deltas'],
    ...['task_flags', 'task_tallies', 'task_types', 'tasks', 'tenants'],
  ]);
});

test.each(ROLES)('%s writes no row into another tenant', async (role) => {
  const written: string[] = [];
  for (const table of tables) {
    const row = await rowOf(table, theirs.world.tenantId);
    const columns = table.insertable.join(', ');
    const text = `insert into ${table.name} (${columns}) select ${columns} from jsonb_populate_record(null::${table.name}, $1)`;
    const end = await attempt(scopeOf(role), { text, values: [JSON.stringify(row)] });
    if (end !== '42501') {
      written.push(`${table.name}: ${end}`);
    }
  }
  expect(written).toEqual([]);
});

test.each(ROLES)('%s changes and removes no row of another tenant', async (role) => {
  const changed: string[] = [];
  for (const { name, columns } of tables) {
    const tenant = tenantOf(name);
    for (const text of [
      `delete from ${name} where ${tenant} = $1`,
      ...columns.map((column) => `update ${name} set ${column} = ${column} where ${tenant} = $1`),
    ]) {
      const end = await attempt(scopeOf(role), { text, values: [theirs.world.tenantId] });
      if (!['0 rows', '42501', '428C9'].includes(end)) {
        changed.push(`${text}: ${end}`);
      }
    }
  }
  expect(changed).toEqual([]);
});

test.each(ROLES.filter((role) => role !== 'SERVICE'))(
  '%s changes nothing of its own tenant either',
  async (role) => {
    const changed: string[] = [];
    for (const table of tables) {
      const row = await rowOf(table, ours.world.tenantId);
      const columns = table.insertable.join(', ');
      const insert = `insert into ${table.name} (${columns}) select ${columns} from jsonb_populate_record(null::${table.name}, $1)`;
      for (const query of [
        { text: insert, values: [JSON.stringify(row)] },
        { text: `delete from ${table.name}`, values: [] },
        ...table.columns.map((column) => ({
          text: `update ${table.name} set ${column} = ${column}`,
          values: [],
        })),
      ]) {
        const end = await attempt(scopeOf(role), query);
        if (!['0 rows', '42501', '428C9'].includes(end)) {
          changed.push(`${query.text}: ${end}`);
        }
      }
    }
    expect(changed).toEqual([]);
  },
);

test('a scope ends with its transaction: the next one on the same connection sees nothing', async () => {
  await inScope(scopeOf('SERVICE'), async () => {
    expect((await app.query('select count(*)::int as n from tasks')).rows[0].n).toBeGreaterThan(0);
  });
  expect((await app.query('select count(*)::int as n from tasks')).rows[0].n).toBe(0);
});

test('a partition is not a way around the policies of its table', async () => {
  for (const partition of ['answers_0', 'access_log_rest']) {
    expect(await attempt(scopeOf('SERVICE'), { text: `select * from ${partition}`, values: [] })).toBe(
      '42501',
    );
  }
});

test('all of this in one database, and every rule still holds', () => expectRulesHold(t.database));

const tenantOf = (table: string) => (table === 'tenants' ? 'id' : 'tenant_id');

async function tablesOfTenants(): Promise<Table[]> {
  const { rows } = await t.admin.query<Table>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns,
            array_agg(a.attname::text order by a.attnum) filter (where a.attidentity = '' and a.attgenerated = '') as insertable
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by c.oid, c.relname
     having bool_or(a.attname = 'tenant_id') or c.relname = 'tenants'
     order by c.relname`,
  );
  return rows;
}

/** How many rows each table shows in a scope, the tables that show none left out. */
async function lookIn(
  scope: Scope | null,
  query: (name: string, columns: readonly string[]) => { text: string; values: readonly unknown[] } | null,
): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  await inScope(scope, async () => {
    for (const { name, columns } of tables) {
      const asked = query(name, columns);
      const n = asked === null ? 0 : (await app.query(asked.text, [...asked.values])).rows[0].n;
      if (n > 0) {
        seen[name] = n;
      }
    }
  });
  return seen;
}

/** Tries one statement in a scope and undoes it: how many rows it wrote, or the SQLSTATE that refused it. */
async function attempt(scope: Scope, query: { text: string; values: readonly unknown[] }): Promise<string> {
  return inScope(scope, async () => {
    try {
      return `${(await app.query(query.text, [...query.values])).rowCount} rows`;
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  });
}

async function inScope<T>(scope: Scope | null, work: () => Promise<T>): Promise<T> {
  await app.query('begin');
  try {
    if (scope !== null) {
      const { tenantId, role, actorId, customerId, expertId } = scope;
      await app.query('select app.enter_scope($1, $2, $3, $4, $5)', [
        tenantId,
        role,
        actorId,
        customerId,
        expertId,
      ]);
    }
    return await work();
  } finally {
    await app.query('rollback');
  }
}

async function rowOf({ name }: Table, tenantId: bigint): Promise<unknown> {
  const { rows } = await t.admin.query(
    `select to_jsonb(x) as row from ${name} x where ${tenantOf(name)} = $1 limit 1`,
    [tenantId],
  );
  return rows[0].row;
}
