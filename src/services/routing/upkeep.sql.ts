import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { one, type Queryable, run } from '../platform/rows.js';

/** How far a walk has come. */
export interface WalkedTo {
  readonly tenantId: bigint;
  readonly assignmentId: bigint;
}

const StepRow = z.object({
  tenantId: z.coerce.bigint().nullable(),
  assignmentId: z.coerce.bigint().nullable(),
  looked: z.int(),
  old: z.int(),
  gone: z.int(),
});

/** One step of a walk: the last row looked at, how many there were, how many of them are worth going on for, how many are gone. */
export type WalkStep = z.infer<typeof StepRow>;

/**
 * Takes away grants of payloads whose claim ended more than a day ago: the URL is refused anyway, and who was given it
 * stands in the access log for good. Walks by assignment, so that it needs no index that each claim would have to write.
 */
export const dropGrants = (db: Queryable, after: WalkedTo, limit: number): Promise<WalkStep> =>
  one(
    db,
    StepRow,
    Prisma.sql`
      with page as materialized (
        select g.token_hash, g.tenant_id, g.assignment_id, g.epoch,
               g.created_at < app.clock_now() - interval '1 day' as is_old
        from payload_grants g
        where (g.tenant_id, g.assignment_id) > (${after.tenantId}::bigint, ${after.assignmentId}::bigint)
        order by g.tenant_id, g.assignment_id, g.epoch limit ${limit}::int
      ), gone as (
        delete from payload_grants g
        using page p
        join assignments a on a.tenant_id = p.tenant_id and a.id = p.assignment_id
        where g.token_hash = p.token_hash and p.is_old
          and (a.epoch <> p.epoch or coalesce(a.ended_at, a.lease_until) < app.clock_now() - interval '1 day')
        returning g.token_hash
      )
      select max(p.tenant_id) as "tenantId",
             max(p.assignment_id) filter (where p.tenant_id = (select max(tenant_id) from page)) as "assignmentId",
             count(*)::int as "looked",
             count(*) filter (where p.is_old)::int as "old",
             (select count(*)::int from gone) as "gone"
      from page p`,
  );

/** Drafts of ended work that an expert keeps at most, of those that were saved more than a day ago. */
export const DRAFTS_MAX = 100;

/**
 * Takes away drafts that nobody can hand in any more (their task is closed, or its project is over) and of which their
 * expert knows: they gave the task back themselves, or were given another since. Such go thirty days after they were last
 * saved, and after a day where the expert has {@link DRAFTS_MAX} newer ones; after half a year whether they know or not, for then they have left. Whoever can still reclaim finds theirs
 * (rule 6). Drafts are few, and old ones stand anywhere among them: each walk looks at all.
 */
export const dropDrafts = (db: Queryable, after: WalkedTo, limit: number): Promise<WalkStep> =>
  one(
    db,
    StepRow,
    Prisma.sql`
      with page as materialized (
        select d.tenant_id, d.assignment_id, d.expert_id, d.saved_at
        from drafts d
        where (d.tenant_id, d.assignment_id) > (${after.tenantId}::bigint, ${after.assignmentId}::bigint)
        order by d.tenant_id, d.assignment_id limit ${limit}::int
      ), gone as (
        delete from drafts d
        using page p
        join assignments a on a.tenant_id = p.tenant_id and a.id = p.assignment_id
        join tasks t on t.tenant_id = a.tenant_id and t.id = a.task_id
        join projects j on j.tenant_id = t.tenant_id and j.id = t.project_id
        where d.tenant_id = p.tenant_id and d.assignment_id = p.assignment_id and d.saved_at = p.saved_at
          and a.state <> 'LEASED' and (t.state <> 'OPEN' or j.state <> 'RUNNING')
          and (a.state = 'RELEASED' or p.saved_at < app.clock_now() - interval '180 days' or exists (
            select from assignments n
            where n.tenant_id = a.tenant_id and n.expert_id = a.expert_id and n.id <> a.id and n.leased_at > a.ended_at))
          and (p.saved_at < app.clock_now() - interval '30 days' or (p.saved_at < app.clock_now() - interval '1 day' and (
            select count(*) from (
              select from drafts n
              where n.tenant_id = p.tenant_id and n.expert_id = p.expert_id and n.assignment_id > p.assignment_id
              limit ${DRAFTS_MAX}::int
            ) newer) = ${DRAFTS_MAX}::int))
        returning d.assignment_id
      )
      select max(p.tenant_id) as "tenantId",
             max(p.assignment_id) filter (where p.tenant_id = (select max(tenant_id) from page)) as "assignmentId",
             count(*)::int as "looked",
             count(*)::int as "old",
             (select count(*)::int from gone) as "gone"
      from page p`,
  );

/** Takes away counts of claims of days that are over for everybody. Returns how many. */
export const dropDays = async (db: Queryable): Promise<number> =>
  (
    await one(
      db,
      z.object({ gone: z.int() }),
      Prisma.sql`
        with gone as (
          delete from expert_days d where d.day < (app.clock_now() at time zone 'UTC')::date - 7 returning 1
        )
        select count(*)::int as "gone" from gone`,
    )
  ).gone;

/** Moves the low-water marks of lanes (see app.refresh_lanes). */
export const refreshLanes = (db: Queryable, whole: boolean): Promise<void> =>
  run(db, Prisma.sql`select app.refresh_lanes(${whole}::boolean)`);
