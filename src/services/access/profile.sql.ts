import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { maybeOne, type Queryable, run } from '../platform/rows.js';

const Found = z.object({ found: z.boolean() });

/** What changes of an expert; absent stays as it is. */
export interface ProfileChange {
  readonly languages?: readonly string[];
  readonly tags?: readonly string[];
  readonly dailyCap?: number | null;
}

/** The statement locks the row as a claim does. Null where there is no such expert. */
export const updateProfile = (
  db: Queryable,
  who: { tenantId: bigint; expertId: bigint },
  change: ProfileChange,
) =>
  maybeOne(
    db,
    Found,
    Prisma.sql`
      update experts set
        languages = coalesce(${change.languages ?? null}::text[], languages),
        tags = coalesce(${change.tags ?? null}::text[], tags),
        daily_cap = case when ${change.dailyCap === undefined} then daily_cap else ${change.dailyCap ?? null}::int end
      where tenant_id = ${who.tenantId} and id = ${who.expertId}
      returning true as found`,
  );

/**
 * What an expert has taken today, as a cap that comes to be set must count it. In a statement of its own after the lock,
 * so that it sees every claim before; a count that is higher stands, for a task that was taken twice has one row.
 */
export const countToday = (db: Queryable, who: { tenantId: bigint; expertId: bigint }) =>
  run(
    db,
    Prisma.sql`
      insert into expert_days as d (tenant_id, expert_id, day, taken)
      select ${who.tenantId}, ${who.expertId}, c.day, count(a.id)
      from (select (app.clock_now() at time zone 'UTC')::date as day) c
      left join assignments a on a.tenant_id = ${who.tenantId} and a.expert_id = ${who.expertId}
        and a.leased_at >= c.day::timestamp at time zone 'UTC'
      group by c.day
      on conflict (tenant_id, expert_id, day) do update set taken = greatest(d.taken, excluded.taken)`,
  );

/** Null where the expert does not have the skill. */
export const updatePreference = (
  db: Queryable,
  of: { tenantId: bigint; expertId: bigint; skillId: bigint },
  preference: number,
) =>
  maybeOne(
    db,
    Found,
    Prisma.sql`
      update expert_skills set preference = ${preference}::smallint
      where tenant_id = ${of.tenantId} and expert_id = ${of.expertId} and skill_id = ${of.skillId}
      returning true as found`,
  );

export interface Conflict {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly customerId: bigint;
}

/** Null where there is no such customer. A conflict that is there already keeps its day and is given the new reason. */
export const upsertConflict = (db: Queryable, c: Conflict, reason: string) =>
  maybeOne(
    db,
    Found,
    Prisma.sql`
      insert into conflicts as c (tenant_id, expert_id, customer_id, reason)
      select u.tenant_id, ${c.expertId}, u.id, ${reason} from customers u
      where u.tenant_id = ${c.tenantId} and u.id = ${c.customerId}
      on conflict (tenant_id, expert_id, customer_id) do update set reason = excluded.reason
      returning true as found`,
  );

export const deleteConflict = (db: Queryable, c: Conflict) =>
  run(
    db,
    Prisma.sql`
      delete from conflicts
      where tenant_id = ${c.tenantId} and expert_id = ${c.expertId} and customer_id = ${c.customerId}`,
  );

export const customerExists = (db: Queryable, tenantId: bigint, customerId: bigint) =>
  maybeOne(
    db,
    Found,
    Prisma.sql`select true as found from customers where tenant_id = ${tenantId} and id = ${customerId}`,
  );
