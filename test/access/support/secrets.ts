import type pg from 'pg';
import type { IdCodec, IdType } from '../../../src/services/platform/ids.js';
import { LENGTH_MIN } from './texts.js';

/** Who asks, as far as it decides what they may see. */
export interface Eyes {
  readonly role: 'EXPERT' | 'CUSTOMER' | 'ANALYST' | 'DISPATCHER' | 'OPERATOR';
  readonly tenantId: bigint;
  readonly identityId: bigint;
  readonly customerId: bigint | null;
  readonly expertId: bigint | null;
}

type Row = Readonly<Record<string, unknown>>;

/** One text of the database: where it stands, and in whose row. */
export interface Text {
  readonly table: string;
  readonly column: string;
  readonly row: Row;
  readonly value: string;
}

const ID_TYPE_OF: Readonly<Record<string, IdType>> = {
  customers: 'Customer',
  identities: 'Identity',
  experts: 'Expert',
  skills: 'Skill',
  task_types: 'TaskType',
  projects: 'Project',
  batches: 'Batch',
  tasks: 'Task',
  assignments: 'Assignment',
  payouts: 'Payout',
  access_log: 'AccessLogEntry',
  jobs: 'Job',
  offers: 'Offer',
};

/** Every text column of every table that belongs to tenants, as the catalogue has them. */
export async function textColumns(db: pg.Client): Promise<{ table: string; column: string }[]> {
  const { rows } = await db.query(
    `select c.relname as table, a.attname as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and pg_get_userbyid(c.relowner) = 'touchstone_owner' and a.attnum > 0
       and a.atttypid in ('text'::regtype, 'bpchar'::regtype, 'jsonb'::regtype)
       and exists (select from pg_attribute t where t.attrelid = c.oid and (t.attname = 'tenant_id' or c.relname = 'tenants'))
     order by 1, 2`,
  );
  return rows;
}

/** All texts of the database, and the opaque ids of everything that has one. */
export async function allTexts(db: pg.Client, ids: IdCodec): Promise<Text[]> {
  const columns = await textColumns(db);
  const tables = [...new Set([...columns.map(({ table }) => table), ...Object.keys(ID_TYPE_OF)])];
  const texts: Text[] = [];
  for (const table of tables) {
    const { rows } = await db.query(`select to_jsonb(t) as row from ${table} t`);
    for (const { row } of rows as { row: Row }[]) {
      for (const { column } of columns.filter((c) => c.table === table)) {
        texts.push({ table, column, row, value: textOf(row[column]) });
      }
      const type = ID_TYPE_OF[table];
      if (type !== undefined) {
        texts.push({ table, column: 'id', row, value: ids.encode(type, BigInt(String(row.id))) });
      }
    }
  }
  return texts.filter(({ value }) => value.length >= LENGTH_MIN);
}

function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? ''
      : JSON.stringify(value);
}

/** What this pair of eyes must never read. A text that they may read elsewhere is no secret. */
export function secretsFor(eyes: Eyes, texts: readonly Text[], held: Held): Map<string, Text> {
  const open = new Set(texts.filter((text) => mayRead(eyes, text, held)).map(({ value }) => value));
  const secrets = new Map<string, Text>();
  for (const text of texts) {
    // Words of our own, such as states and kinds, are in capitals.
    if (!open.has(text.value) && !/^[A-Z_]+$/.test(text.value)) {
      secrets.set(text.value, text);
    }
  }
  return secrets;
}

/** What an expert has ever held: of these they may know a little. */
export interface Held {
  readonly tasks: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
  readonly taskTypes: ReadonlySet<string>;
  /** What they were offered. */
  readonly jobs: ReadonlySet<string>;
  /** Whoever was given their trace: their ids, and no more of them. */
  readonly followers: ReadonlySet<string>;
}

// Written down here once more, on purpose not derived from the policies that it holds to account.

function mayRead(eyes: Eyes, text: Text, held: Held): boolean {
  const { table, column, row } = text;
  const tenantId = table === 'tenants' ? row.id : row.tenant_id;
  if (String(tenantId) !== String(eyes.tenantId)) {
    return false;
  }
  if (
    table === 'tenants' ||
    table === 'skills' ||
    (table === 'dispatch_settings' && eyes.role === 'EXPERT')
  ) {
    return true;
  }
  if (table === 'identities') {
    const isFollower = column === 'id' && held.followers.has(String(row.id));
    return eyes.role === 'OPERATOR' || is(row.id, eyes.identityId) || isFollower;
  }
  if (table === 'drafts') {
    return eyes.role === 'EXPERT' && is(row.expert_id, eyes.expertId);
  }
  switch (eyes.role) {
    case 'OPERATOR':
      return true;
    case 'ANALYST':
      return (
        !['access_log', 'job_attachments', 'latest_fixes', 'workers'].includes(table) &&
        !table.startsWith('webhook')
      );
    case 'DISPATCHER':
      return (
        [
          'experts',
          'dispatch_settings',
          'workers',
          'jobs',
          'offers',
          'job_moves',
          'job_attachments',
        ].includes(table) ||
        (table === 'latest_fixes' && column === 'cell')
      );
    case 'CUSTOMER':
      return customerMayRead(eyes, text);
    case 'EXPERT':
      return expertMayRead(eyes, text, held);
  }
}

function customerMayRead(eyes: Eyes, { table, row }: Text): boolean {
  if (table === 'customers') {
    return is(row.id, eyes.customerId);
  }
  if (table === 'task_types' && row.customer_id === null) {
    return true;
  }
  return 'customer_id' in row && is(row.customer_id, eyes.customerId);
}

/** Of work that they were given an expert knows what it is, and of its customer nothing. */
const EXPERT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  projects: ['name'],
  tasks: ['id', 'external_id', 'content_type'],
  experts: ['id', 'handle'],
};

function expertMayRead(eyes: Eyes, { table, column, row }: Text, held: Held): boolean {
  const id = String(row.id);
  const columns = EXPERT_COLUMNS[table];
  switch (table) {
    case 'experts':
      return is(row.id, eyes.expertId) && columns?.includes(column) === true;
    case 'projects':
      return held.projects.has(id) && columns?.includes(column) === true;
    case 'tasks':
      return held.tasks.has(id) && columns?.includes(column) === true;
    case 'task_types':
      return held.taskTypes.has(id);
    case 'assignments':
    case 'answers':
    case 'answer_values':
    case 'task_flags':
    case 'payouts':
    case 'trace_exports':
      return is(row.expert_id, eyes.expertId);
    case 'jobs':
      return held.jobs.has(id) && ['id', 'type'].includes(column);
    case 'offers':
    case 'workers':
    case 'latest_fixes':
      return is(row.expert_id, eyes.expertId) && column !== 'reason';
    case 'pauses':
      return row.told === true && is(row.expert_id, eyes.expertId);
    default:
      return false;
  }
}

function is(value: unknown, id: bigint | null): boolean {
  return id !== null && String(value) === String(id);
}
