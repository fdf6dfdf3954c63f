import type pg from 'pg';
import { ensureTenant } from '../../src/services/access/people.js';
import type { Viewer } from '../../src/services/access/viewer.js';
import { openDatabase } from '../../src/services/platform/database.js';
import { createTaskType } from '../../src/services/tasks/task-type-store.js';
import { type Machine, run, TEMPLATE, withAdmin } from './machine.js';
import { GROUPS, type Group, populateSql, type Shape } from './populate.js';
import { heldOf, serve } from './serve-call.js';

export interface ExpertRef {
  readonly expertId: number;
  readonly identityId: number;
  readonly subject: string;
}

/** A database of its own with one tenant full of work, on the machine of the run. */
export interface World extends Shape {
  readonly database: string;
  readonly url: string;
  readonly tenantId: number;
  readonly slug: string;
  readonly experts: Readonly<Record<Group, readonly ExpertRef[]>>;
  vacuum(): Promise<void>;
  drop(): Promise<void>;
}

const SLUG = 'bench';

/** Makes a database with work of that shape, vacuumed. */
export async function makeWorld(machine: Machine, shape: Shape): Promise<World> {
  const database = `bench_${shape.name}`;
  const url = machine.urlOf(database);
  await run(machine.urlOf('postgres'), `create database ${database} template ${TEMPLATE}`);
  const { tenantId, experts } = await fill(url, shape);
  const world = { ...shape, ...handleOf(machine, database), tenantId, slug: SLUG, experts };
  await world.vacuum();
  await run(url, 'checkpoint');
  return world;
}

/** Fills an empty, migrated database. Not vacuumed. */
export async function fill(url: string, shape: Shape): Promise<Pick<World, 'tenantId' | 'experts'>> {
  const tenantId = Number(await makeTenant(url));
  const experts = await withAdmin(url, async (client) => {
    for (const statement of populateSql(shape, tenantId)) {
      await client.query(statement);
    }
    return readExperts(client, tenantId);
  });
  await workBefore(url, { tenantId, experts });
  return { tenantId, experts };
}

const ROUNDS_BEFORE = 8;

/** Some answers from before, by the product itself: the planner's figures should know that there is such a thing. */
async function workBefore(url: string, world: Pick<World, 'tenantId' | 'experts'>): Promise<void> {
  const claims = world.experts.before;
  await withAdmin(url, async (client) => {
    await client.query('set role touchstone_app');
    for (let round = 0; round < ROUNDS_BEFORE; round++) {
      const answered = await serve(client, world, { claims });
      const submits = claims.flatMap((expert, index) => {
        const outcome = answered.claims[index];
        return (outcome === undefined ? null : heldOf(expert, outcome)) ?? [];
      });
      await serve(client, world, { submits });
    }
  });
}

/** A copy of a world's database as it is now. Nobody may be connected to it. */
export async function cloneWorld(machine: Machine, world: World, name: string): Promise<World> {
  const copy = handleOf(machine, `${world.database}_${name}`);
  await run(machine.urlOf('postgres'), `create database ${copy.database} template ${world.database}`);
  return { ...world, ...copy };
}

function handleOf(machine: Machine, database: string): Pick<World, 'database' | 'url' | 'vacuum' | 'drop'> {
  const url = machine.urlOf(database);
  return {
    database,
    url,
    vacuum: () => withAdmin(url, async (client) => void (await client.query('vacuum (analyze)'))),
    drop: () => run(machine.urlOf('postgres'), `drop database ${database} with (force)`),
  };
}

/** The tenant and its task type, by the services. */
async function makeTenant(url: string): Promise<bigint> {
  const db = openDatabase({ url });
  try {
    const tenantId = await ensureTenant(db, { slug: SLUG, name: 'Bench' });
    const definition = { kind: 'SINGLE_CHOICE', options: [{ value: 'yes' }, { value: 'no' }] };
    const input = { name: 'choice', definition, instructions: '', customerId: null };
    await createTaskType(db, operator(tenantId), input);
    return tenantId;
  } finally {
    await db.close();
  }
}

const operator = (tenantId: bigint): Viewer => ({
  tenantId,
  tenantSlug: SLUG,
  identityId: 0n,
  displayName: 'Bench',
  role: 'OPERATOR',
  customerId: null,
  expertId: null,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  requestId: 'bench',
});

async function readExperts(client: pg.Client, tenantId: number): Promise<World['experts']> {
  const { rows } = await client.query<{ expertId: string; identityId: string; subject: string }>(
    `select r.expert_id as "expertId", i.id as "identityId", i.subject
     from identities i join identity_roles r on r.tenant_id = i.tenant_id and r.identity_id = i.id
     where i.tenant_id = $1 and r.role = 'EXPERT' order by i.id`,
    [tenantId],
  );
  const all = rows.map((row) => ({
    expertId: Number(row.expertId),
    identityId: Number(row.identityId),
    subject: row.subject,
  }));
  const of = (group: Group) => all.filter(({ subject }) => subject.startsWith(`${group}-`));
  return Object.fromEntries(GROUPS.map((group) => [group, of(group)])) as unknown as World['experts'];
}

/** An expert as the API would know them after their token was checked. */
export function viewerOf(world: World, expert: ExpertRef): Viewer {
  return {
    tenantId: BigInt(world.tenantId),
    tenantSlug: world.slug,
    identityId: BigInt(expert.identityId),
    displayName: expert.subject,
    role: 'EXPERT',
    customerId: null,
    expertId: BigInt(expert.expertId),
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    requestId: 'bench',
  };
}
