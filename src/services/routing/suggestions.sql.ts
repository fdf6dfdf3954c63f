import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';

/** Why an expert could come to qualify, in the order in which operators are shown them. */
export const SUGGESTION_KINDS = ['PAUSED_SKILL', 'BELOW_MINIMUM', 'NEARLY_FITS', 'NEIGHBOUR'] as const;

const SuggestionRow = z.object({
  expertId: z.bigint(),
  kind: z.enum(SUGGESTION_KINDS),
  /** Of BELOW_MINIMUM: what is proven, and what is asked for. */
  quality: z.number().nullable(),
  minQuality: z.number().nullable(),
  /** Of NEARLY_FITS: the language, tag or further skill that is missing. */
  missing: z.string().nullable(),
  /** Of NEIGHBOUR: the skill that they have. */
  neighbour: z.string().nullable(),
});
export type SuggestionRow = z.infer<typeof SuggestionRow>;

/** Close enough to a minimum that some more answers may reach it. */
const NEAR_MINIMUM = 0.1;
/** A neighbour: at least three have both skills, and at least half of those who have the other. */
const TOGETHER = { experts: 3, part: 0.5 } as const;

/** What claims of a lane's work take an expert for. */
const TAKEN_FOR = Prisma.sql`app.taken_for(h.skill, w.task_type_id)`;

/** A further skill as a lane asks for it (app.lanes_of). */
const provenIn = (which: Prisma.Sql) => Prisma.sql`
  select from expert_skills o where o.tenant_id = x.tenant_id and o.expert_id = x.id and ${which}
    and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= w.also_min`;

/** Everything else that a lane asks for. */
const REST_FITS = Prisma.sql`
  w.languages <@ x.languages and w.tags <@ x.tags
  and not exists (select from unnest(w.also_all) as a(skill_id) where not exists (${provenIn(Prisma.sql`o.skill_id = a.skill_id`)}))
  and (w.also_any = '{}' or exists (${provenIn(Prisma.sql`o.skill_id = any (w.also_any)`)}))`;

/**
 * Experts who are given no work of a skill that waits, or not all of it, and what keeps them from it. Nobody is ranked:
 * what is easiest to mend comes first, and within it who was there first.
 */
export const suggestions = (
  db: Queryable,
  { tenantId, skillId, limit }: { tenantId: bigint; skillId: bigint; limit: number },
): Promise<SuggestionRow[]> =>
  many(
    db,
    SuggestionRow,
    Prisma.sql`
      with waiting as materialized (
        select l.* from lanes l
        where l.tenant_id = ${tenantId} and l.skill_id = ${skillId}
          and exists (select from ready r where r.tenant_id = l.tenant_id and r.lane_id = l.id and r.phase < 3)
      ), unpaused as materialized (
        select x.* from experts x where x.tenant_id = ${tenantId} and x.status = 'ACTIVE'
      ), holders as materialized (
        select s.expert_id, s.status, s as skill from expert_skills s
        where s.tenant_id = ${tenantId} and s.skill_id = ${skillId}
      ), paused as (
        select x.id, 'PAUSED_SKILL' as kind, null::float8 as quality, null::float8 as min_quality,
               null::text as missing, null::text as neighbour
        from unpaused x join holders h on h.expert_id = x.id and h.status = 'PAUSED'
        where exists (select from waiting w where w.min_quality <= ${TAKEN_FOR} and ${REST_FITS})
      ), below as (
        select x.id, 'BELOW_MINIMUM', ${TAKEN_FOR}, min(w.min_quality), null::text, null::text
        from unpaused x join holders h on h.expert_id = x.id and h.status <> 'PAUSED'
        join waiting w on w.min_quality > ${TAKEN_FOR} and ${REST_FITS}
        group by x.id, ${TAKEN_FOR} having min(w.min_quality) - ${TAKEN_FOR} <= ${NEAR_MINIMUM}::float8
      ), nearly as (
        select x.id, 'NEARLY_FITS', null::float8, null::float8, min(lacks.word), null::text
        from unpaused x join holders h on h.expert_id = x.id and h.status <> 'PAUSED'
        join waiting w on w.min_quality <= ${TAKEN_FOR}
        cross join lateral (
          select u.word from unnest(w.languages || w.tags) as u(word) where not u.word = any (x.languages || x.tags)
          union all
          select k.name from unnest(w.also_all) as a(skill_id)
          join skills k on k.tenant_id = w.tenant_id and k.id = a.skill_id
          where not exists (${provenIn(Prisma.sql`o.skill_id = a.skill_id`)})
          union all
          select string_agg(k.name, ' / ' order by k.name) from unnest(w.also_any) as a(skill_id)
          join skills k on k.tenant_id = w.tenant_id and k.id = a.skill_id
          where not exists (${provenIn(Prisma.sql`o.skill_id = any (w.also_any)`)})
          having count(*) > 0
        ) lacks
        group by x.id, w.id having count(*) = 1
      ), beside as materialized (
        select s.skill_id from expert_skills s
        where s.tenant_id = ${tenantId} and s.skill_id <> ${skillId}
        group by s.skill_id
        having count(*) filter (where s.expert_id in (select h.expert_id from holders h))
               >= greatest(${TOGETHER.experts}::int, ${TOGETHER.part}::float8 * count(*))
      ), near as (
        select x.id, 'NEIGHBOUR', null::float8, null::float8, null::text, min(k.name)
        from unpaused x
        join expert_skills s on s.tenant_id = x.tenant_id and s.expert_id = x.id and s.status = 'ACTIVE'
        join beside b on b.skill_id = s.skill_id
        join skills k on k.tenant_id = s.tenant_id and k.id = s.skill_id
        where not exists (select from holders h where h.expert_id = x.id)
        group by x.id
      )
      select u.id as "expertId", u.kind, u.quality, u.min_quality as "minQuality", u.missing, u.neighbour
      from (
        select distinct on (f.id) f.* from (
          select 1 as place, p.* from paused p
          union all select 2, b.* from below b
          union all select 3, n.* from nearly n
          union all select 4, n.* from near n where exists (select from waiting)
        ) f order by f.id, f.place
      ) u
      order by u.place, u.id limit ${limit}::int`,
  );
