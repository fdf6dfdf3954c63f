import { Prisma } from '../../generated/prisma/client.js';
import type { RuleCheck } from '../platform/rules.js';

/** Rules 2 and 3 where answers disagree, 5 of newcomers, 11 of what moves a score, 16 of who has read answers. */
export const qualityRules: readonly RuleCheck[] = [
  {
    rule: 2,
    claim: 'A task that goes on has at least the answers that were decided about, and wants more than those.',
    looked: Prisma.sql`select count(*) from task_decisions`,
    broken: Prisma.sql`
      select format('task %s of tenant %s', d.task_id, d.tenant_id) as what
      from task_decisions d join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id
      where d.next = 'MORE' and t.wanted <= d.answers or t.counted < d.answers`,
  },
  {
    rule: 3,
    claim: 'Nobody adjudicates what they have answered, and an adjudication wants one answer.',
    looked: Prisma.sql`select count(*) from adjudications`,
    broken: Prisma.sql`
      select format('task %s of tenant %s', j.task_id, j.tenant_id) as what
      from adjudications j
      join tasks t on t.tenant_id = j.tenant_id and t.id = j.task_id
      where t.wanted <> 1 or exists (
        select from assignments a
        join assignments o on o.tenant_id = a.tenant_id and o.expert_id = a.expert_id and o.task_id = j.parent_id
        where a.tenant_id = j.tenant_id and a.task_id = j.task_id)`,
  },
  {
    rule: 11,
    claim:
      'A score is what its gradings add up to: the credit of each, .97 for each later one, and nothing else.',
    looked: Prisma.sql`select count(*) from quality_scores`,
    broken: Prisma.sql`
      with facts as (
        select g.tenant_id, g.expert_id, g.skill_id, g.task_type_id, min(g.id) as id, min(g.graded_at) as at,
               avg(g.is_right::int) as credit, avg(g.weight) as weight
        from gradings g
        where not exists (select from voided_gradings v where v.tenant_id = g.tenant_id and v.grading_id = g.id)
        group by g.tenant_id, g.expert_id, g.skill_id, g.task_type_id, g.assignment_id, g.kind
      ), aged as (
        select f.*, power(0.97, row_number() over (partition by f.tenant_id, f.expert_id, f.skill_id, f.task_type_id
                                                   order by f.at desc, f.id desc) - 1) as kept
        from facts f
      ), folded as (
        select a.tenant_id, a.expert_id, a.skill_id, a.task_type_id, count(*) as seen,
               sum(a.kept * a.weight * a.credit) as correct, sum(a.kept * a.weight * (1 - a.credit)) as wrong
        from aged a group by a.tenant_id, a.expert_id, a.skill_id, a.task_type_id
      )
      select format('expert %s of tenant %s in skill %s', coalesce(s.expert_id, f.expert_id), coalesce(s.tenant_id, f.tenant_id),
                    coalesce(s.skill_id, f.skill_id)) as what
      from quality_scores s
      full join folded f on f.tenant_id = s.tenant_id and f.expert_id = s.expert_id and f.skill_id = s.skill_id
        and f.task_type_id = s.task_type_id
      where not exists (select from grading_dues d where d.tenant_id = coalesce(s.tenant_id, f.tenant_id)
                          and d.expert_id = coalesce(s.expert_id, f.expert_id) and d.skill_id = coalesce(s.skill_id, f.skill_id))
        and (s.seen is distinct from f.seen
             or abs((s.state::jsonb ->> 'right')::float8 - f.correct) > 1e-6
             or abs((s.state::jsonb ->> 'wrong')::float8 - f.wrong) > 1e-6)`,
  },
  {
    rule: 11,
    claim: 'The figures of an expert in a skill rest on the results that count, and on no others.',
    looked: Prisma.sql`select count(*) from score_days where task_type_id = 0`,
    broken: Prisma.sql`
      select format('expert %s of tenant %s in skill %s', d.expert_id, d.tenant_id, d.skill_id) as what
      from (
        select distinct on (s.tenant_id, s.expert_id, s.skill_id) s.tenant_id, s.expert_id, s.skill_id, s.seen
        from score_days s where s.task_type_id = 0
        order by s.tenant_id, s.expert_id, s.skill_id, s.day desc
      ) d
      where d.seen <> (select coalesce(sum(q.seen), 0) from quality_scores q
                       where q.tenant_id = d.tenant_id and q.expert_id = d.expert_id and q.skill_id = d.skill_id)
        and not exists (select from grading_dues g where g.tenant_id = d.tenant_id and g.expert_id = d.expert_id
                          and g.skill_id = d.skill_id)`,
  },
  {
    rule: 11,
    claim:
      'What results decided is in effect, or waits: figures, standing, notices, how newcomers are taken.',
    looked: Prisma.sql`select count(*) from standings`,
    broken: Prisma.sql`
      select format('expert %s of tenant %s in skill %s', s.expert_id, s.tenant_id, s.skill_id) as what
      from standings s
      cross join lateral app.lacks_effect(s.tenant_id, s.expert_id, s.skill_id) l
      where (l.figures or l.standing or l.notices or l.newcomer)
        and not exists (select from grading_dues d where d.tenant_id = s.tenant_id and d.expert_id = s.expert_id and d.skill_id = s.skill_id)
        and not exists (select from skill_effects e where e.tenant_id = s.tenant_id and e.expert_id = s.expert_id
                          and e.skill_id = s.skill_id and e.applied_at is null)`,
  },
  {
    rule: 11,
    claim: 'Whoever was paused by results is given no work of the skill, and was told.',
    looked: Prisma.sql`select count(*) from shown_standings`,
    broken: Prisma.sql`
      select format('expert %s of tenant %s in skill %s', s.expert_id, s.tenant_id, s.skill_id) as what
      from shown_standings s
      join expert_skills x on x.tenant_id = s.tenant_id and x.expert_id = s.expert_id and x.skill_id = s.skill_id
      where s.phase = 'PAUSED'
        and not exists (select from grading_dues d where d.tenant_id = s.tenant_id and d.expert_id = s.expert_id and d.skill_id = s.skill_id)
        and (x.status <> 'PAUSED' or not exists (
          select from standing_notices n join shown_notices w on w.tenant_id = n.tenant_id and w.notice_id = n.id
          where n.tenant_id = s.tenant_id and n.expert_id = s.expert_id and n.skill_id = s.skill_id and n.phase = 'PAUSED'))`,
  },
  {
    rule: 5,
    claim: 'Whoever is taken for more than is proven is so by an exception that is on record.',
    looked: Prisma.sql`select count(*) from expert_skills where door is not null`,
    broken: Prisma.sql`
      select format('expert %s of tenant %s in skill %s', s.expert_id, s.tenant_id, s.skill_id) as what
      from expert_skills s
      where s.taken_for > s.quality_lower and not exists (
        select from doors d
        where d.tenant_id = s.tenant_id and d.expert_id = s.expert_id and d.skill_id = s.skill_id
          and d.kind <> 'LOWER_BOUND' and d.task_type_id = 0 and d.quality = s.door)`,
  },
  {
    rule: 5,
    claim:
      'In a task type nobody is taken for less than is proven of them in it, nor for more but by an exception that is on record.',
    looked: Prisma.sql`select count(*) from newcomer_decisions where type_ids <> '{}'`,
    broken: Prisma.sql`
      select format('expert %s of tenant %s in task type %s', n.expert_id, n.tenant_id, g.task_type_id) as what
      from newcomer_decisions n
      cross join lateral unnest(n.type_ids, n.type_gates) as g(task_type_id, quality)
      left join quality_scores q on q.tenant_id = n.tenant_id and q.expert_id = n.expert_id and q.skill_id = n.skill_id
        and q.task_type_id = g.task_type_id
      where not exists (select from grading_dues d where d.tenant_id = n.tenant_id and d.expert_id = n.expert_id and d.skill_id = n.skill_id)
        and (q.lower is null or g.quality < q.lower - 1e-9 or g.quality > q.lower + 1e-9 and not exists (
          select from doors d where d.tenant_id = n.tenant_id and d.expert_id = n.expert_id and d.skill_id = n.skill_id
            and d.task_type_id = g.task_type_id and d.quality = g.quality))`,
  },
  {
    rule: 16,
    claim:
      'Nobody was given a task, or gold that was minted from it, after they had read its answers in another role.',
    looked: Prisma.sql`select count(*) from answer_readers`,
    broken: Prisma.sql`
      select format('assignment %s of tenant %s', a.id, a.tenant_id) as what
      from answer_readers w
      join identity_roles r on r.tenant_id = w.tenant_id and r.identity_id = w.identity_id and r.role = 'EXPERT'
      join assignments a on a.tenant_id = w.tenant_id and a.expert_id = r.expert_id and a.project_id = w.project_id
        and (w.task_id = 0 or a.task_id = w.task_id or exists (
          select from golds g where g.tenant_id = w.tenant_id and g.task_id = a.task_id and g.source_task_id = w.task_id))
      where a.leased_at > w.first_at`,
  },
];
