import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../platform/rows.js';

const Id = z.object({ id: z.bigint() });

const ImportedProject = z.object({
  tenantId: z.bigint(),
  tenantSlug: z.string(),
  projectId: z.bigint(),
  name: z.string(),
  origin: z.string(),
  idempotencyKey: z.string(),
});
export type ImportedProject = z.infer<typeof ImportedProject>;

/** A project whatever its tenant: for commands of the operator of the installation. */
export const findProject = (db: Queryable, projectId: bigint) =>
  maybeOne(
    db,
    ImportedProject,
    Prisma.sql`
      select p.tenant_id as "tenantId", t.slug as "tenantSlug", p.id as "projectId", p.name, p.origin,
             p.idempotency_key as "idempotencyKey"
      from projects p join tenants t on t.id = p.tenant_id
      where p.id = ${projectId}`,
  );

/** The project that an import made before. */
export const findImport = (db: Queryable, tenantId: bigint, idempotencyKey: string) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`
      select id from projects
      where tenant_id = ${tenantId} and origin = 'IMPORT' and idempotency_key = ${idempotencyKey}`,
  );

/**
 * The customer of that name, made if it is new. Two statements, because the row that another transaction has just
 * committed is in no snapshot but the next statement's.
 */
export async function ensureCustomer(db: Queryable, tenantId: bigint, name: string) {
  await run(
    db,
    Prisma.sql`
      insert into customers (tenant_id, name) values (${tenantId}, ${name})
      on conflict (tenant_id, name) do nothing`,
  );
  return one(db, Id, Prisma.sql`select id from customers where tenant_id = ${tenantId} and name = ${name}`);
}

/** The skill of that name, made if it is new; see {@link ensureCustomer}. */
export async function ensureSkill(db: Queryable, tenantId: bigint, name: string) {
  await run(
    db,
    Prisma.sql`
      insert into skills (tenant_id, name) values (${tenantId}, ${name})
      on conflict (tenant_id, name) do nothing`,
  );
  return one(db, Id, Prisma.sql`select id from skills where tenant_id = ${tenantId} and name = ${name}`);
}

/** The newest version of a customer's own task type of that name. */
export const findTaskType = (db: Queryable, type: { tenantId: bigint; customerId: bigint; name: string }) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`
      select id from task_types
      where tenant_id = ${type.tenantId} and customer_id = ${type.customerId} and name = ${type.name}
      order by version desc limit 1`,
  );

/** People of one import: what they are called, and the subject of their tokens, which is the same. */
export interface NewWorkers {
  readonly tenantId: bigint;
  readonly skillId: bigint;
  readonly issuer: string;
  readonly handles: string[];
}

/** Makes those who are new: expert, identity, role and skill. Statements of one transaction. */
export async function ensureWorkers(db: Queryable, { tenantId, skillId, issuer, handles }: NewWorkers) {
  const given = Prisma.sql`unnest(${handles}::text[]) as given(handle)`;
  await run(
    db,
    Prisma.sql`
      insert into experts (tenant_id, handle) select ${tenantId}, handle from ${given}
      on conflict (tenant_id, handle) do nothing`,
  );
  await run(
    db,
    Prisma.sql`
      insert into identities (tenant_id, issuer, subject, display_name)
      select ${tenantId}, ${issuer}, handle, handle from ${given}
      on conflict (tenant_id, issuer, subject) do nothing`,
  );
  await run(
    db,
    Prisma.sql`
      insert into identity_roles (tenant_id, identity_id, role, expert_id)
      select ${tenantId}, i.id, 'EXPERT', e.id
      from ${given}
      join experts e on e.tenant_id = ${tenantId} and e.handle = given.handle
      join identities i on i.tenant_id = ${tenantId} and i.issuer = ${issuer} and i.subject = given.handle
      on conflict do nothing`,
  );
  return many(
    db,
    z.object({ id: z.bigint(), handle: z.string() }),
    Prisma.sql`
      with skilled as (
        insert into expert_skills (tenant_id, expert_id, skill_id, status)
        select ${tenantId}, e.id, ${skillId}, 'ACTIVE'
        from ${given} join experts e on e.tenant_id = ${tenantId} and e.handle = given.handle
        on conflict (tenant_id, expert_id, skill_id) do nothing
      )
      select e.id, e.handle from ${given} join experts e on e.tenant_id = ${tenantId} and e.handle = given.handle`,
  );
}
