import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Viewer } from '../../src/services/access/viewer.js';

/** A tenant with one customer, one open project and experts who may work on it. */
export interface World {
  readonly tenantId: bigint;
  readonly customerId: bigint;
  readonly projectId: bigint;
  readonly batchId: bigint;
  readonly taskIds: readonly bigint[];
  readonly experts: readonly { readonly expertId: bigint; readonly identityId: bigint }[];
}

export interface WorldOptions {
  readonly experts?: number;
  readonly tasks?: number;
  readonly leaseSeconds?: number;
  /** Seconds from now, by the database's clock. */
  readonly deadlineSeconds?: number;
}

export async function makeWorld(db: pg.ClientBase, options: WorldOptions = {}): Promise<World> {
  const { experts = 1, tasks = 1, leaseSeconds = 60, deadlineSeconds } = options;
  const id = async (text: string, values: unknown[] = []) =>
    BigInt((await db.query(text, values)).rows[0].id);
  const slug = randomBytes(6).toString('hex');
  const tenantId = await id(`insert into tenants (slug, name) values ($1, 'Acme') returning id`, [
    `t-${slug}`,
  ]);
  const customerId = await id(`insert into customers (tenant_id, name) values ($1, 'Ada') returning id`, [
    tenantId,
  ]);
  const skillId = await id(`insert into skills (tenant_id, name) values ($1, 'reading') returning id`, [
    tenantId,
  ]);
  const laneId = await id(
    'insert into lanes (tenant_id, skill_id, min_quality) values ($1, $2, 0) returning id',
    [tenantId, skillId],
  );
  const typeId = await id(
    `insert into task_types (tenant_id, name, version, kind, definition, answer_schema, dimensions)
     values ($1, 'yes or no', 1, 'SINGLE_CHOICE', '{}', '{}', '[]') returning id`,
    [tenantId],
  );
  const projectId = await id(
    `insert into projects (tenant_id, customer_id, name, task_type_id, skill_id, lane_id, min_quality, price_minor,
                           currency, redundancy, lease_seconds, origin, idempotency_key, request_digest, deadline)
     values ($1, $2, 'p', $3, $4, $5, 0, 100, 'EUR', 1, $6, 'TEST', $7, 'd', app.clock_now() + make_interval(secs => $8))
     returning id`,
    [tenantId, customerId, typeId, skillId, laneId, leaseSeconds, randomUUID(), deadlineSeconds ?? null],
  );
  const batchId = await makeBatch(db, { tenantId, customerId, projectId, tasks });
  const { rows } = await db.query('select id from tasks where tenant_id = $1 order by id', [tenantId]);
  const crowd: World['experts'][number][] = [];
  for (let n = 0; n < experts; n++) {
    crowd.push(await makeExpert(db, { tenantId, skillId, handle: `e${n}` }));
  }
  return {
    tenantId,
    customerId,
    projectId,
    batchId,
    taskIds: rows.map((row) => BigInt(row.id)),
    experts: crowd,
  };
}

/** An OPEN batch with its tasks in the queue. */
export async function makeBatch(
  db: pg.ClientBase,
  {
    tenantId,
    customerId,
    projectId,
    tasks,
  }: { tenantId: bigint; customerId: bigint; projectId: bigint; tasks: number },
): Promise<bigint> {
  const { rows } = await db.query(
    `insert into batches (tenant_id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count,
                          idempotency_key, content_digest, stored_at)
     values ($1, $2, $3, 'b', 'OPEN', 'JSONL', 'raw', 1, $4, $4, $5, 'd', app.clock_now()) returning id`,
    [tenantId, projectId, customerId, tasks, randomUUID()],
  );
  const batchId = BigInt(rows[0].id);
  const lines = Array.from({ length: tasks }, (_, n) => ({
    line: n + 1,
    externalId: `item-${n + 1}`,
    payloadKey: `key-${n + 1}`,
    payloadBytes: 3,
    contentType: 'application/json',
  }));
  await db.query('select * from app.enqueue_tasks($1, $2, $3)', [tenantId, batchId, JSON.stringify(lines)]);
  return batchId;
}

async function makeExpert(
  db: pg.ClientBase,
  { tenantId, skillId, handle }: { tenantId: bigint; skillId: bigint; handle: string },
) {
  const expert = await db.query('insert into experts (tenant_id, handle) values ($1, $2) returning id', [
    tenantId,
    handle,
  ]);
  const expertId = BigInt(expert.rows[0].id);
  await db.query(
    `insert into expert_skills (tenant_id, expert_id, skill_id, status, quality_mean, quality_lower)
     values ($1, $2, $3, 'ACTIVE', 0.9, 0.8)`,
    [tenantId, expertId, skillId],
  );
  const identity = await db.query(
    `insert into identities (tenant_id, issuer, subject, display_name) values ($1, 'test', $2, $2) returning id`,
    [tenantId, handle],
  );
  return { expertId, identityId: BigInt(identity.rows[0].id) };
}

export interface Held {
  readonly assignmentId: bigint;
  readonly epoch: number;
}

/** Claims as the n-th expert. */
export async function claim(db: pg.ClientBase | pg.Pool, world: World, n = 0): Promise<Held> {
  const { expertId, identityId } = expertOf(world, n);
  const { rows } = await db.query('select app.claim($1, $2, null, $3, $4, $5) as answer', [
    world.tenantId,
    expertId,
    identityId,
    randomBytes(32),
    'test',
  ]);
  const { outcome, assignment } = rows[0].answer;
  if (outcome !== 'LEASED' && outcome !== 'HELD') {
    throw new Error(`The claim was answered ${outcome}.`);
  }
  return { assignmentId: BigInt(assignment.id), epoch: assignment.epoch };
}

export async function submit(
  db: pg.ClientBase | pg.Pool,
  world: World,
  { held, n = 0 }: { held: Held; n?: number },
): Promise<void> {
  const { expertId, identityId } = expertOf(world, n);
  const { rows } = await db.query(
    `select app.submit($1, $2, $3, $4, $5, '{}', $6, null, '[]') ->> 'outcome' as outcome`,
    [
      world.tenantId,
      expertId,
      identityId,
      held.assignmentId,
      held.epoch,
      createHash('sha256').update('{}').digest('hex'),
    ],
  );
  if (rows[0].outcome !== 'SUBMITTED') {
    throw new Error(`The submit was answered ${rows[0].outcome}.`);
  }
}

export async function heartbeat(
  db: pg.ClientBase | pg.Pool,
  world: World,
  { held, n = 0 }: { held: Held; n?: number },
): Promise<void> {
  const { expertId, identityId } = expertOf(world, n);
  await db.query('select app.heartbeat($1, $2, $3, $4, $5, 0, null)', [
    world.tenantId,
    expertId,
    identityId,
    held.assignmentId,
    held.epoch,
  ]);
}

function expertOf(world: World, n: number) {
  const expert = world.experts[n];
  if (expert === undefined) {
    throw new Error(`The world has no expert ${n}.`);
  }
  return expert;
}

/** Who asks, for subscriptions: the customer, an operator, or the n-th expert. */
export function viewerOf(world: World, role: 'CUSTOMER' | 'OPERATOR' | 'EXPERT', n = 0): Viewer {
  return {
    tenantId: world.tenantId,
    tenantSlug: 't',
    identityId: world.experts[n]?.identityId ?? 0n,
    displayName: role,
    role,
    customerId: role === 'CUSTOMER' ? world.customerId : null,
    expertId: role === 'EXPERT' ? expertOf(world, n).expertId : null,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    requestId: 'test',
  };
}
