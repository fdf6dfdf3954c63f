import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';
import type { WatchedProject } from './turns.sql.js';

/** Of one item at most so many answers are compared: pairs grow with their square. */
const OF_ITEM_MAX = 25;

const WorkRow = z.object({
  item: z.string(),
  expert: z.string(),
  label: z.string(),
  /** What is believed of the expert's accuracy. */
  accuracy: z.number(),
});

/** Answers to the latest finished tasks of a project, those of their adjudications among them; at most `limit`. */
export const workAnswers = (
  db: Queryable,
  { tenantId, projectId, skillId, taskTypeId }: WatchedProject,
  { dimension, limit }: { dimension: string; limit: number },
) =>
  many(
    db,
    WorkRow,
    Prisma.sql`
      with done as materialized (
        select t.id from tasks t
        where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.state = 'DONE' and t.kind = 'WORK' and t.counted >= 2
        order by t.id desc limit ${Math.ceil(limit / 2)}
      ), sources as (
        select d.id as item, d.id as source from done d
        union all
        select j.parent_id, j.task_id from adjudications j
        where j.tenant_id = ${tenantId} and j.parent_id = any (array(select d.id from done d))
      )
      select s.item::text as item, v.expert_id::text as expert, v.label,
             coalesce(q.mean, x.quality_mean, 0.8)::float8 as accuracy
      from sources s
      cross join lateral (
        select n.expert_id, coalesce(n.text_value, n.number_value::text) as label
        from answer_values n
        join assignments a on a.tenant_id = ${tenantId} and a.id = n.assignment_id and a.state in ('SUBMITTED', 'ACCEPTED')
        where n.tenant_id = ${tenantId} and n.task_id = s.source and n.dimension = ${dimension}
        order by n.assignment_id limit ${OF_ITEM_MAX}
      ) v
      left join quality_scores q on q.tenant_id = ${tenantId} and q.expert_id = v.expert_id and q.skill_id = ${skillId}
        and q.task_type_id = ${taskTypeId}
      left join expert_skills x on x.tenant_id = ${tenantId} and x.expert_id = v.expert_id and x.skill_id = ${skillId}
      order by s.item desc limit ${limit}`,
  );

const KeyedRow = z.object({ item: z.string(), expert: z.string(), label: z.string(), key: z.string() });

/** The latest answers to gold of a project whose key holds, at most `limit`, twenty-five of a gold. */
export const goldAnswers = (
  db: Queryable,
  { tenantId, projectId }: WatchedProject,
  { dimension, limit }: { dimension: string; limit: number },
) =>
  many(
    db,
    KeyedRow,
    Prisma.sql`
      with latest as materialized (
        select g.* from gradings g where g.tenant_id = ${tenantId} and g.project_id = ${projectId} order by g.id desc limit ${limit}
      )
      select n.task_id::text as item, n.expert_id::text as expert, n.answered as label, n.truth as key
      from (
        select l.*, row_number() over (partition by l.task_id order by l.id desc) as place from latest l
        where l.kind = 'GOLD' and l.dimension = ${dimension} and l.answered is not null
          and not exists (select from voided_gradings v where v.tenant_id = ${tenantId} and v.grading_id = l.id and v.reason <> 'LEAKED')
      ) n
      where n.place <= ${OF_ITEM_MAX}`,
  );
