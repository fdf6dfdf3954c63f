import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable, run } from '../platform/rows.js';

/** Jobs whose work fails piece by piece. */
const WORK_JOBS = ['scores', 'effects', 'showing', 'stopping', 'gold', 'watch', 'budget', 'asides'] as const;
export type WorkJob = (typeof WORK_JOBS)[number];

/** A piece of work: of an expert (and their skill), a gold, a project or a finding. */
export interface WorkSubject {
  readonly job: WorkJob;
  readonly tenantId: bigint;
  readonly subjectId: bigint;
  /** 0: of no skill. */
  readonly skillId: bigint;
}

/** A failure doubles the wait from ten seconds, up to an hour. */
export const saveFailure = (db: Queryable, w: WorkSubject, error: string) =>
  run(
    db,
    Prisma.sql`
      with kept as (
        insert into work_failures as f (tenant_id, job, subject_id, skill_id, failures, error, failed_at, retry_at)
        values (${w.tenantId}, ${w.job}, ${w.subjectId}, ${w.skillId}, 1, ${error.slice(0, 100)}, app.clock_now(),
          app.clock_now() + interval '10 s')
        on conflict (tenant_id, job, subject_id, skill_id) do update set
          failures = f.failures + 1, error = excluded.error, failed_at = excluded.failed_at,
          retry_at = excluded.failed_at + least(interval '1 h', interval '10 s' * power(2, least(f.failures, 20)))
        returning 1
      )
      select count(*)::int from kept`,
  );

export const clearFailure = (db: Queryable, w: WorkSubject) =>
  run(
    db,
    Prisma.sql`
      with gone as (
        delete from work_failures
        where tenant_id = ${w.tenantId} and job = ${w.job} and subject_id = ${w.subjectId} and skill_id = ${w.skillId} returning 1
      )
      select count(*)::int from gone`,
  );

/** A condition: nothing keeps this piece of work from being done now. */
export const isReady = (job: WorkJob, of: { tenant: Prisma.Sql; subject: Prisma.Sql; skill?: Prisma.Sql }) =>
  Prisma.sql`not exists (
    select from work_failures waits
    where waits.tenant_id = ${of.tenant} and waits.job = ${job} and waits.subject_id = ${of.subject} and waits.skill_id = ${of.skill ?? Prisma.sql`0`}
      and waits.retry_at > app.clock_now())`;

/** How many pieces of work of each job failed when they were last tried. */
export const failingWork = (db: Queryable) =>
  many(
    db,
    z.object({ job: z.string(), failing: z.int() }),
    Prisma.sql`
      select j.job, count(f.job)::int as failing from unnest(${[...WORK_JOBS]}::text[]) as j(job)
      left join (select w.job from work_failures w limit 10000) f on f.job = j.job
      group by j.job order by j.job`,
  );

/**
 * Forgets failures that nobody tried again for a day: their work is over (a gold was retired, a project cancelled), or else is tried at
 * once and told anew. At most so many.
 */
export const sweepFailures = (db: Queryable, limit: number) =>
  run(
    db,
    Prisma.sql`
      with over as materialized (
        select tenant_id, job, subject_id, skill_id from work_failures
        where retry_at < app.clock_now() - interval '1 d' order by retry_at limit ${limit} for update skip locked
      ), gone as (
        delete from work_failures f using over o
        where f.tenant_id = o.tenant_id and f.job = o.job and f.subject_id = o.subject_id and f.skill_id = o.skill_id returning 1
      )
      select count(*)::int from gone`,
  );
