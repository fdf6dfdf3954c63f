import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable } from '../platform/rows.js';
import type { Role } from './viewer.js';

const Id = z.object({ id: z.bigint() });

const ViewerRow = z.object({
  tenantId: z.coerce.bigint(),
  tenantSlug: z.string(),
  identityId: z.coerce.bigint(),
  displayName: z.string(),
  customerId: z.coerce.bigint().nullable(),
  expertId: z.coerce.bigint().nullable(),
});
export type ViewerRow = z.infer<typeof ViewerRow>;

/** What a checked token says of who acts. */
export interface ActingAs {
  readonly issuer: string;
  readonly subject: string;
  readonly tenantSlug: string;
  readonly role: Role;
}

const NumberedViewerRow = ViewerRow.extend({ n: z.coerce.number() });

/**
 * The identities behind issuers and subjects, each in one tenant, if they have the role: rows with the place (from 1) of
 * whom they answer. Runs before any tenant is known.
 */
export const findViewers = (db: Queryable, whos: readonly ActingAs[]) =>
  many(
    db,
    NumberedViewerRow,
    Prisma.sql`
      select w.n, t.id as "tenantId", t.slug as "tenantSlug", i.id as "identityId", i.display_name as "displayName",
             r.customer_id as "customerId", r.expert_id as "expertId"
      from unnest(${whos.map(({ tenantSlug }) => tenantSlug)}::text[], ${whos.map(({ issuer }) => issuer)}::text[],
                  ${whos.map(({ subject }) => subject)}::text[], ${whos.map(({ role }) => role)}::text[])
        with ordinality as w(slug, issuer, subject, role, n)
      join tenants t on t.slug = w.slug
      join identities i on i.tenant_id = t.id and i.issuer = w.issuer and i.subject = w.subject
      join identity_roles r on r.tenant_id = t.id and r.identity_id = i.id and r.role = w.role`,
  );

export const insertTenant = (db: Queryable, tenant: { slug: string; name: string }) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`
      insert into tenants (slug, name) values (${tenant.slug}, ${tenant.name})
      on conflict (slug) do nothing returning id`,
  );

export const findTenant = (db: Queryable, slug: string) =>
  maybeOne(db, Id, Prisma.sql`select id from tenants where slug = ${slug}`);

/** Null where the name is taken. */
export const insertSkill = (db: Queryable, tenantId: bigint, name: string) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`
      insert into skills (tenant_id, name) values (${tenantId}, ${name})
      on conflict (tenant_id, name) do nothing returning id`,
  );

export const insertCustomer = (db: Queryable, tenantId: bigint, name: string) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`
      insert into customers (tenant_id, name) values (${tenantId}, ${name})
      on conflict (tenant_id, name) do nothing returning id`,
  );

export const insertExpert = (db: Queryable, tenantId: bigint, handle: string) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`
      insert into experts (tenant_id, handle) values (${tenantId}, ${handle})
      on conflict (tenant_id, handle) do nothing returning id`,
  );

/** The identity of an issuer and subject, made if it is new. */
export const ensureIdentity = (
  db: Queryable,
  tenantId: bigint,
  who: { issuer: string; subject: string; displayName: string },
) =>
  one(
    db,
    Id,
    Prisma.sql`
      insert into identities as i (tenant_id, issuer, subject, display_name)
      values (${tenantId}, ${who.issuer}, ${who.subject}, ${who.displayName})
      on conflict (tenant_id, issuer, subject) do update set display_name = excluded.display_name
      returning id`,
  );

/** In which roles an identity may act. Whoever is giving it another waits: {@link ensureIdentity} has its row. */
export const rolesOf = async (db: Queryable, tenantId: bigint, identityId: bigint): Promise<string[]> =>
  (
    await many(
      db,
      z.object({ role: z.string() }),
      Prisma.sql`
        select role from identity_roles where tenant_id = ${tenantId} and identity_id = ${identityId} order by role`,
    )
  ).map(({ role }) => role);

/** False where the identity has the role already, or the expert an identity. */
export const insertRole = async (
  db: Queryable,
  tenantId: bigint,
  grant: { identityId: bigint; role: Role; customerId: bigint | null; expertId: bigint | null },
): Promise<boolean> =>
  (await maybeOne(
    db,
    z.object({ role: z.string() }),
    Prisma.sql`
      insert into identity_roles (tenant_id, identity_id, role, customer_id, expert_id)
      values (${tenantId}, ${grant.identityId}, ${grant.role}, ${grant.customerId}, ${grant.expertId})
      on conflict do nothing returning role`,
  )) !== null;

/** Locks the expert's row, as a claim does: a change of status is before a claim or after it, never in between. */
export const lockExpert = (db: Queryable, tenantId: bigint, expertId: bigint) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`select id from experts where tenant_id = ${tenantId} and id = ${expertId} for no key update`,
  );

export const setExpertStatus = (db: Queryable, tenantId: bigint, expert: { id: bigint; status: string }) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`
      with changed as (
        update experts set status = ${expert.status}
        where tenant_id = ${tenantId} and id = ${expert.id} returning id, status
      ), ended as materialized (
        select app.close_pauses(${tenantId}, null, c.id, null)::text from changed c where c.status <> 'PAUSED'
      )
      select c.id, (select count(*)::int from ended) as ended from changed c`,
  );

export interface ExpertSkillChange {
  readonly expertId: bigint;
  readonly skillId: bigint;
  readonly status: 'PROBATION' | 'ACTIVE' | 'PAUSED';
  readonly qualityMean: number | null;
  readonly qualityLower: number | null;
}

/** Rule 11: what is measured is moved by gold and adjudication alone. */
const measured = Prisma.sql`exists (
  select from quality_scores q where q.tenant_id = e.tenant_id and q.expert_id = e.expert_id and q.skill_id = e.skill_id)`;

/**
 * Gives or changes a skill; null figures leave what is there. Figures are what a human vouches for: they hold until there is
 * a measurement, which then starts from them; others are then refused. Null where the skill does not exist.
 */
export const upsertExpertSkill = (db: Queryable, tenantId: bigint, change: ExpertSkillChange) =>
  maybeOne(
    db,
    z.object({ expertId: z.bigint(), isRefused: z.boolean() }),
    Prisma.sql`
      with changed as (
        insert into expert_skills as e (tenant_id, expert_id, skill_id, status, quality_mean, quality_lower, vouched_mean,
          vouched_lower, updated_at)
        select s.tenant_id, ${change.expertId}, s.id, ${change.status}, coalesce(${change.qualityMean}::float8, 0.5),
               coalesce(${change.qualityLower}::float8, 0), ${change.qualityMean}::float8, ${change.qualityLower}::float8,
               app.clock_now()
        from skills s where s.tenant_id = ${tenantId} and s.id = ${change.skillId}
        on conflict (tenant_id, expert_id, skill_id) do update set
          status = excluded.status,
          quality_mean = case when ${measured} then e.quality_mean else coalesce(${change.qualityMean}::float8, e.quality_mean) end,
          quality_lower = case when ${measured} then e.quality_lower else coalesce(${change.qualityLower}::float8, e.quality_lower) end,
          vouched_mean = case when ${measured} then e.vouched_mean else coalesce(excluded.vouched_mean, e.vouched_mean) end,
          vouched_lower = case when ${measured} then e.vouched_lower
            else least(coalesce(excluded.vouched_lower, e.vouched_lower), coalesce(excluded.vouched_mean, e.vouched_mean)) end,
          updated_at = excluded.updated_at
        returning expert_id, skill_id, status, ${measured}
          and (e.vouched_mean, e.vouched_lower) is distinct from (${change.qualityMean}::float8, ${change.qualityLower}::float8)
          and ${change.qualityMean}::float8 is not null as refused
      ), ended as materialized (
        select app.close_pauses(${tenantId}, null, c.expert_id, c.skill_id)::text from changed c where c.status <> 'PAUSED'
      )
      select c.expert_id as "expertId", c.refused as "isRefused", (select count(*)::int from ended) as ended from changed c`,
  );
