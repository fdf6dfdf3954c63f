import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable } from '../../platform/rows.js';
import type { WatchedProject } from './turns.sql.js';

/** Of each expert: assignments and gradings that are looked at, and those of the project among them that count. */
const ASSIGNMENTS_MAX = 500;
const GRADINGS_MAX = 500;
const OF_PROJECT_MAX = 100;

const FactsRow = z.object({
  expertId: z.bigint(),
  golds: z.array(
    z.object({ assignment: z.string(), gold: z.string(), credit: z.number(), seconds: z.number() }),
  ),
  seconds: z.array(z.number()),
  agreed: z.int(),
  compared: z.int(),
  /** Other answers a compared task has on average. */
  others: z.number(),
});

/** What one expert did of late in a project, on gold and on ordinary tasks. */
export type ExpertFacts = z.infer<typeof FactsRow>;

/**
 * What experts did of late: gold (also what was found leaked, not what had a wrong key), their times on ordinary tasks, and
 * on how many of those that are done the answer that most others gave is theirs. Where others are even nothing is compared.
 */
export const expertFacts = (
  db: Queryable,
  { tenantId, projectId, skillId, taskTypeId }: WatchedProject,
  { experts, dimension }: { experts: readonly bigint[]; dimension: string | null },
): Promise<ExpertFacts[]> =>
  many(
    db,
    FactsRow,
    Prisma.sql`
      with asked as (
        select e.id as expert_id from unnest(${experts.map(String)}::bigint[]) as e(id)
      ), ordinary as materialized (
        select e.expert_id, a.id, a.task_id, a.seconds from asked e
        cross join lateral (
          select o.id, o.task_id, extract(epoch from o.submitted_at - o.leased_at)::float8 as seconds
          from (select l.* from assignments l where l.tenant_id = ${tenantId} and l.expert_id = e.expert_id
                order by l.id desc limit ${ASSIGNMENTS_MAX}) o
          where o.project_id = ${projectId} and o.customer_id <> 0 and o.state in ('SUBMITTED', 'ACCEPTED')
          order by o.id desc limit ${OF_PROJECT_MAX}
        ) a
      ), compared as (
        select o.expert_id, count(*)::int as compared, count(*) filter (where m.label = coalesce(v.text_value, v.number_value::text))::int as agreed,
               avg(m.answers)::float8 as others
        from ordinary o
        join tasks t on t.tenant_id = ${tenantId} and t.id = o.task_id and t.state = 'DONE' and t.kind = 'WORK'
        join answer_values v on v.tenant_id = ${tenantId} and v.assignment_id = o.id and v.dimension = ${dimension}::text
        cross join lateral (
          select (array_agg(c.label order by c.votes desc))[1] as label, sum(c.votes) as answers,
                 (array_agg(c.votes order by c.votes desc))[1] as first, coalesce((array_agg(c.votes order by c.votes desc))[2], 0) as second
          from (
            select coalesce(n.text_value, n.number_value::text) as label, count(*) as votes
            from answer_values n
            join assignments a on a.tenant_id = ${tenantId} and a.id = n.assignment_id and a.state in ('SUBMITTED', 'ACCEPTED')
            where n.tenant_id = ${tenantId} and n.task_id = o.task_id and n.dimension = ${dimension}::text and n.expert_id <> o.expert_id
            group by 1
          ) c
        ) m
        where m.first > m.second
        group by o.expert_id
      )
      select e.expert_id as "expertId", g.golds, coalesce(s.seconds, '{}') as seconds, coalesce(c.agreed, 0) as agreed,
             coalesce(c.compared, 0) as compared, coalesce(c.others, 0) as others
      from asked e
      cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('assignment', a.id::text, 'gold', a.task_id::text, 'credit', x.credit,
                 'seconds', extract(epoch from a.submitted_at - a.leased_at)::float8) order by a.id), '[]') as golds
        from (
          select r.assignment_id, avg(r.is_right::int)::float8 as credit
          from (select l.* from gradings l where l.tenant_id = ${tenantId} and l.expert_id = e.expert_id and l.skill_id = ${skillId}
                  and l.task_type_id = ${taskTypeId} order by l.id desc limit ${GRADINGS_MAX}) r
          where r.project_id = ${projectId} and r.kind = 'GOLD'
            and not exists (select from voided_gradings v where v.tenant_id = ${tenantId} and v.grading_id = r.id and v.reason <> 'LEAKED')
          group by r.assignment_id order by r.assignment_id desc limit ${OF_PROJECT_MAX}
        ) x
        join assignments a on a.tenant_id = ${tenantId} and a.id = x.assignment_id
      ) g
      left join lateral (select array_agg(o.seconds) as seconds from ordinary o where o.expert_id = e.expert_id) s on true
      left join compared c on c.expert_id = e.expert_id`,
  );

/** Gold that a consensus is measured on: the latest. */
const GOLDS_MAX = 300;

/**
 * How often the answer that most of `answers` experts give is right, on the project's gold that is not known to be leaked or
 * wrong: of how many, and right. Of each gold the first answers count, and where they are even it does not.
 */
export const consensusOnGold = (
  db: Queryable,
  { tenantId, projectId }: WatchedProject,
  { dimension, answers }: { dimension: string; answers: number },
) =>
  one(
    db,
    z.object({ golds: z.int(), right: z.int() }),
    Prisma.sql`
      with shown as materialized (
        select g.task_id from golds g
        where g.tenant_id = ${tenantId} and g.project_id = ${projectId} and g.exposures >= ${answers}
          and g.state <> 'SUSPENDED' and g.reason is distinct from 'LEAKED'
        order by g.task_id desc limit ${GOLDS_MAX}
      )
      select count(*)::int as golds, count(*) filter (where m.label = m.truth)::int as right
      from shown s
      cross join lateral (
        select (array_agg(c.label order by c.votes desc))[1] as label, min(c.truth) as truth, sum(c.votes) as answers,
               (array_agg(c.votes order by c.votes desc))[1] as first, coalesce((array_agg(c.votes order by c.votes desc))[2], 0) as second
        from (
          select f.answered as label, count(*) as votes, min(f.truth) as truth
          from (select r.answered, r.truth from gradings r
                where r.tenant_id = ${tenantId} and r.task_id = s.task_id and r.kind = 'GOLD' and r.dimension = ${dimension}
                  and r.answered is not null order by r.id limit ${answers}) f
          group by f.answered
        ) c
      ) m
      where m.answers = ${answers} and m.first > m.second`,
  );
