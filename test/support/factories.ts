import { randomBytes } from 'node:crypto';
import { Prisma } from '../../src/generated/prisma/client.js';
import { DEVELOPMENT_ISSUER } from '../../src/services/access/development-key.js';
import {
  createCustomer,
  createExpert,
  createSkill,
  ensureTenant,
  findViewer,
  setExpertSkill,
} from '../../src/services/access/people.js';
import {
  ensureIdentity,
  insertExpert,
  insertRole,
  upsertExpertSkill,
  type ViewerRow,
} from '../../src/services/access/people.sql.js';
import type { Role, Viewer } from '../../src/services/access/viewer.js';
import { type Database, withService } from '../../src/services/platform/database.js';
import { createProject, type NewProject } from '../../src/services/projects/projects.js';
import { createTaskType } from '../../src/services/tasks/task-type-store.js';
import { enqueue, insertBatch, type TaskRow } from './tasks.js';

/** Names in one database never meet, so that a file can hold as many worlds as it has tests. */
export const unique = (word: string): string => `${word}-${randomBytes(5).toString('hex')}`;

export interface Tenant {
  readonly tenantId: bigint;
  readonly slug: string;
  readonly operator: Viewer;
}

export interface Customer {
  readonly customerId: bigint;
  readonly viewer: Viewer;
}

export interface Expert {
  readonly expertId: bigint;
  readonly viewer: Viewer;
}

/** A tenant with a skill, a task type for everybody, a customer, a running project, its tasks, and experts who may do them. */
export interface World extends Tenant {
  readonly skillId: bigint;
  readonly taskTypeId: bigint;
  readonly customer: Customer;
  readonly projectId: bigint;
  readonly batchId: bigint;
  /** In the order of their lines, which is the order of the queue. */
  readonly taskIds: readonly bigint[];
  readonly experts: readonly Expert[];
  /** The first three of the experts, by name; asking for one that was not made fails. */
  readonly ada: Expert;
  readonly bob: Expert;
  readonly cyd: Expert;
}

export interface WorldOptions {
  readonly experts?: number;
  /** How many, or the rows themselves. */
  readonly tasks?: number | readonly TaskRow[];
  /** Lower bound of the experts' quality in the skill (default 0.8). */
  readonly quality?: number;
  readonly project?: Partial<NewProject>;
  /** Of the task type (default: one of {@link CHOICES}). */
  readonly definition?: object;
}

const ISSUER = DEVELOPMENT_ISSUER;
const HOUR_MS = 3_600_000;
export const CHOICES = ['yes', 'no', 'unsure'] as const;

/** An answer of the factories' task type. */
export const answerOf = (choice: (typeof CHOICES)[number] = 'yes') => ({ choice });

/** A whole valid world, built by the services themselves, in a tenant of its own. */
export async function makeWorld(db: Database, options: WorldOptions = {}): Promise<World> {
  const tenant = await makeTenant(db);
  const skillId = await makeSkill(db, tenant);
  const taskTypeId = await makeTaskType(db, tenant, options.definition);
  const customer = await makeCustomer(db, tenant);
  const experts = await makeExperts(db, tenant, {
    count: options.experts ?? 1,
    skillId,
    quality: options.quality ?? 0.8,
  });
  const base = { ...tenant, skillId, taskTypeId, customer, experts };
  const projectId = await makeProject(db, base, options.project);
  const { batchId, taskIds } = await makeBatch(db, base, { projectId, tasks: options.tasks ?? 1 });
  return {
    ...base,
    projectId,
    batchId,
    taskIds,
    get ada() {
      return at(experts, 0);
    },
    get bob() {
      return at(experts, 1);
    },
    get cyd() {
      return at(experts, 2);
    },
  };
}

/** The element at `index`, which must be there. */
export function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) {
    throw new Error(`There is no element ${index} in a list of ${list.length}`);
  }
  return found;
}

export async function makeTenant(db: Database): Promise<Tenant> {
  const slug = unique('tenant');
  const tenantId = await ensureTenant(db, { slug, name: slug });
  const operator = await makeViewer(db, { tenantId, slug }, { role: 'OPERATOR' });
  return { tenantId, slug, operator };
}

/** An identity of the tenant and a viewer that acts as it. An expert's viewer comes with {@link makeExpert}. */
export async function makeViewer(
  db: Database,
  tenant: { tenantId: bigint; slug: string },
  { role, customerId = null }: { role: Exclude<Role, 'EXPERT'>; customerId?: bigint | null },
): Promise<Viewer> {
  const subject = unique(role.toLowerCase());
  await withService(db, { tenantId: tenant.tenantId, actorId: null }, async (tx) => {
    const who = { issuer: ISSUER, subject, displayName: subject };
    const identity = await ensureIdentity(tx, tenant.tenantId, who);
    const grant = { identityId: identity.id, role, customerId, expertId: null };
    await insertRole(tx, tenant.tenantId, grant);
  });
  return viewerOf(db, { tenantSlug: tenant.slug, subject, role });
}

async function viewerOf(
  db: Database,
  who: { tenantSlug: string; subject: string; role: Role },
): Promise<Viewer> {
  const row = await findViewer(db, { issuer: ISSUER, ...who });
  if (row === null) {
    throw new Error(`${who.subject} was not made`);
  }
  return acting(row, who.role);
}

const acting = (row: ViewerRow, role: Role): Viewer => ({
  ...row,
  role,
  expiresAtMs: Date.now() + HOUR_MS,
  requestId: unique('request'),
});

export async function makeSkill(db: Database, tenant: Tenant): Promise<bigint> {
  return (await createSkill(db, tenant.operator, { name: unique('skill') })).skillId;
}

const CHOICE = { kind: 'SINGLE_CHOICE', options: CHOICES.map((value) => ({ value })) };

export async function makeTaskType(
  db: Database,
  tenant: Tenant,
  definition: object = CHOICE,
): Promise<bigint> {
  const input = { name: unique('type'), definition, instructions: '', customerId: null };
  return (await createTaskType(db, tenant.operator, input)).taskTypeId;
}

export async function makeCustomer(db: Database, tenant: Tenant): Promise<Customer> {
  const { customerId } = await createCustomer(db, tenant.operator, { name: unique('customer') });
  return { customerId, viewer: await makeViewer(db, tenant, { role: 'CUSTOMER', customerId }) };
}

export async function makeExpert(
  db: Database,
  tenant: Tenant,
  skills: readonly { skillId: bigint; quality?: number }[],
): Promise<Expert> {
  const subject = unique('expert');
  const identity = { issuer: ISSUER, subject, displayName: subject };
  const { expertId } = await createExpert(db, tenant.operator, { handle: subject, identity });
  for (const { skillId, quality = 0.8 } of skills) {
    await setExpertSkill(db, tenant.operator, {
      expertId,
      skillId,
      status: 'ACTIVE',
      qualityMean: Math.max(quality, 0.9),
      qualityLower: quality,
    });
  }
  return { expertId, viewer: await viewerOf(db, { tenantSlug: tenant.slug, subject, role: 'EXPERT' }) };
}

/** Many experts of one skill, in one transaction: what {@link makeExpert} does by several, statement by statement. */
export function makeExperts(
  db: Database,
  tenant: Tenant,
  { count, skillId, quality = 0.8 }: { count: number; skillId: bigint; quality?: number },
): Promise<Expert[]> {
  const { tenantId, slug } = tenant;
  return withService(db, { tenantId, actorId: null }, async (tx) => {
    const experts: Expert[] = [];
    for (let n = 0; n < count; n++) {
      const subject = unique('expert');
      const expert = await insertExpert(tx, tenantId, subject);
      const identity = await ensureIdentity(tx, tenantId, { issuer: ISSUER, subject, displayName: subject });
      const expertId = expert?.id ?? null;
      const grant = { identityId: identity.id, role: 'EXPERT', customerId: null, expertId } as const;
      if (expertId === null || !(await insertRole(tx, tenantId, grant))) {
        throw new Error(`${subject} was not made`);
      }
      const figures = {
        status: 'ACTIVE',
        qualityMean: Math.max(quality, 0.9),
        qualityLower: quality,
      } as const;
      await upsertExpertSkill(tx, tenantId, { expertId, skillId, ...figures });
      const row = {
        tenantId,
        tenantSlug: slug,
        identityId: identity.id,
        displayName: subject,
        customerId: null,
      };
      experts.push({ expertId, viewer: acting({ ...row, expertId }, 'EXPERT') });
    }
    return experts;
  });
}

/** A running project of origin TEST: one answer a task at 25 cents, leases of a minute, unless told otherwise. */
export async function makeProject(
  db: Database,
  world: Pick<World, 'operator' | 'customer' | 'taskTypeId' | 'skillId'>,
  overrides: Partial<NewProject> = {},
): Promise<bigint> {
  const { projectId } = await createProject(db, world.operator, {
    customerId: world.customer.customerId,
    name: unique('project'),
    taskTypeId: world.taskTypeId,
    skillId: world.skillId,
    priceMinor: 25n,
    currency: 'EUR',
    redundancy: 1,
    minQuality: 0,
    weight: 10,
    leaseSeconds: 60,
    deadline: null,
    idempotencyKey: unique('key'),
    origin: 'TEST',
    ...overrides,
  });
  return projectId;
}

/** An OPEN batch whose tasks can be claimed. */
export async function makeBatch(
  db: Database,
  world: Pick<World, 'tenantId' | 'customer'>,
  { projectId, tasks }: { projectId: bigint; tasks: number | readonly TaskRow[] },
): Promise<{ batchId: bigint; taskIds: bigint[] }> {
  const rows = typeof tasks === 'number' ? Array.from({ length: tasks }, () => ({})) : tasks;
  return withService(db, { tenantId: world.tenantId, actorId: null }, async (tx) => {
    const batch = {
      tenantId: world.tenantId,
      customerId: world.customer.customerId,
      projectId,
      key: unique('batch'),
    };
    const batchId = await insertBatch(tx, batch);
    const taskIds = await enqueue(tx, { tenantId: world.tenantId, batchId, rows });
    await tx.$executeRaw(Prisma.sql`
      update batches set state = 'OPEN', stored_at = app.clock_now(), rows_done = ${rows.length}, task_count = ${rows.length}
      where tenant_id = ${world.tenantId} and id = ${batchId}`);
    return { batchId, taskIds };
  });
}
