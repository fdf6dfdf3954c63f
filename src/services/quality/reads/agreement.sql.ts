import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';

const Reading = z.object({
  skillId: z.bigint(),
  taskTypeId: z.bigint(),
  dimension: z.string(),
  scale: z.enum(['NOMINAL', 'ORDINAL', 'INTERVAL', 'RATIO']),
  form: z.enum(['CLASSES', 'VALUES', 'NUMBERS']),
  /** Values that are declared. */
  classes: z.int(),
  expertId: z.bigint(),
  peerId: z.bigint(),
  tasks: z.coerce.number(),
  /** CLASSES and VALUES: size, what one said, what the other said, pairs. */
  cells: z.array(z.tuple([z.number(), z.string(), z.string(), z.number()])),
  /** VALUES: the chance that two answers differ. Null for fewer than two answers. */
  expected: z.number().nullable(),
  /** NUMBERS: the mean squared difference of the pairs over that of any two answers; null where all answers are the same. */
  ratio: z.number().nullable(),
});

/** What is kept of one dimension: of everybody (expert 0), of an expert with their peers (peer 0), or of two experts. */
export type AgreementReading = z.infer<typeof Reading>;

/** Which readings: of a project, or (project 0) of a skill over all projects. */
export type AgreementScope = { readonly projectId: bigint } | { readonly skillId: bigint };

/** Of whom: of everybody together, of each expert with their peers, of each two experts. */
export type AgreementLevel = 'ALL' | 'EXPERTS' | 'PAIRS';

const LEVELS: Readonly<Record<AgreementLevel, Prisma.Sql>> = {
  ALL: Prisma.sql`t.expert_id = 0`,
  EXPERTS: Prisma.sql`t.expert_id > 0 and t.peer_id = 0`,
  PAIRS: Prisma.sql`t.peer_id > 0`,
};

/** With the skill, so that the key leads to the level and the rows of pairs are not walked through for those of everybody. */
const scopeOf = (scope: AgreementScope) =>
  'projectId' in scope
    ? Prisma.sql`t.project_id = ${scope.projectId} and t.skill_id = (
        select p.skill_id from projects p where p.tenant_id = app.tenant_id() and p.id = ${scope.projectId})`
    : Prisma.sql`t.project_id = 0 and t.skill_id = ${scope.skillId}`;

const sameDimension = (of: Prisma.Sql) => Prisma.sql`
  ${of}.tenant_id = t.tenant_id and ${of}.project_id = t.project_id and ${of}.skill_id = t.skill_id
  and ${of}.task_type_id = t.task_type_id and ${of}.dimension = t.dimension`;

/** Readings of a scope and level, those of the most tasks first, as far as the viewer's scope shows them. */
export const agreementReadings = (
  db: Queryable,
  scope: AgreementScope,
  { level, limit }: { level: AgreementLevel; limit: number },
): Promise<AgreementReading[]> =>
  many(
    db,
    Reading,
    Prisma.sql`
      with found as materialized (
        select * from agreement_totals t
        where t.tenant_id = app.tenant_id() and ${scopeOf(scope)} and ${LEVELS[level]} and t.tasks > 0
        order by t.tasks desc, t.task_type_id, t.dimension, t.expert_id, t.peer_id limit ${limit}
      )
      select t.skill_id as "skillId", t.task_type_id as "taskTypeId", t.dimension, d.form, d.classes, t.expert_id as "expertId", t.peer_id as "peerId",
             case when d.form = 'NUMBERS' then 'INTERVAL' when d.is_ratio then 'RATIO' else upper(d.scale) end as scale, t.tasks::text as tasks,
             case when d.form = 'NUMBERS' then '[]' else coalesce(c.cells, '[]') end as cells,
             case d.form when 'VALUES' then
               ((a.answers::numeric * a.answers - a.squares) / nullif(a.answers * (a.answers - 1), 0))::float8
             end as expected,
             case d.form when 'NUMBERS' then
               round(c.spread / nullif(c.pairs, 0) * a.answers * (a.answers - 1) / nullif(2 * (a.answers * a.squares - a.total * a.total), 0), 15)::float8
             end as ratio
      from found t
      join task_types y on y.tenant_id = t.tenant_id and y.id = t.task_type_id
      cross join lateral (
        select e ->> 'scale' as scale, coalesce((e -> 'isRatio')::boolean, false) as is_ratio, app.agreement_form(e) as form,
               coalesce(jsonb_array_length(nullif(e -> 'values', 'null')), 0) as classes from jsonb_array_elements(y.dimensions::jsonb) e
        where e ->> 'name' = t.dimension limit 1
      ) d
      join agreement_totals a on ${sameDimension(Prisma.sql`a`)} and a.expert_id = 0 and a.peer_id = 0
      cross join lateral (
        select jsonb_agg(jsonb_build_array(c.size, c.said, c.heard, c.pairs)) as cells,
               sum(c.spread / (c.size - 1)) as spread, sum(c.pairs::numeric / (c.size - 1)) as pairs
        from agreement_cells c
        where ${sameDimension(Prisma.sql`c`)} and c.expert_id = t.expert_id and c.peer_id = t.peer_id and c.pairs > 0
      ) c
      order by t.tasks desc, t.task_type_id, t.dimension, t.expert_id, t.peer_id`,
  );
