// Fills a database with work by plain SQL, as consistent as the services would leave it (`touchstone verify` holds).
import { DEVELOPMENT_ISSUER } from '../../src/services/access/development-key.js';

/**
 * Who is there: experts with one, four and twelve skills, a crowd with four, a crowd that all has the first skill, and
 * those who have worked here before.
 */
export const GROUPS = ['one', 'four', 'twelve', 'crowd', 'hot', 'before'] as const;
export type Group = (typeof GROUPS)[number];

export interface Shape {
  /** Part of the database's name. */
  readonly name: string;
  readonly tasks: number;
  readonly projects: number;
  readonly skills: number;
}

/** The work that `npm run bench -- claim` stands on: 50 skills by Zipf's law as the seed's table has them, 200 projects. */
export const shapeOf = (tasks: number): Shape => ({ name: `n${tasks}`, tasks, projects: 200, skills: 50 });

export const REDUNDANCY = 3;

/** Statements in their order; no parameters, because every figure is a number of ours. */
export function populateSql({ tasks, projects, skills }: Shape, tenant: number): string[] {
  return [
    // Foreign keys hold by construction; checking them row by row would take longer than the rest.
    "set session_replication_role = replica; set work_mem = '256MB'; set maintenance_work_mem = '512MB'",
    `insert into customers (tenant_id, name) select ${tenant}, 'customer-' || n from generate_series(1, 10) n`,
    `insert into skills (tenant_id, name) select ${tenant}, 'skill-' || n from generate_series(1, ${skills}) n`,
    // Two tiers a skill: anybody, and a measured lower bound of 0.7.
    `insert into lanes (tenant_id, skill_id, min_quality)
     select ${tenant}, s, q from generate_series(1, ${skills}) s cross join (values (0), (0.7)) v(q) order by s, q`,
    projectsSql({ projects, skills }, tenant),
    tasksSql(tasks, tenant),
    `insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots)
     select t.tenant_id, t.id, p.lane_id, p.id, 0, (t.line - 1) * ${REDUNDANCY} * 1000 / p.weight, '{1,2,3}'
     from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id order by t.id`,
    `insert into flows (tenant_id, lane_id, project_id, last_tag)
     select p.tenant_id, p.lane_id, p.id, b.task_count * ${REDUNDANCY} * 1000 / p.weight
     from projects p join batches b on b.tenant_id = p.tenant_id and b.project_id = p.id`,
    ...(
      [
        ['one', 400, 1],
        ['four', 400, 4],
        ['twelve', 400, 12],
        ['crowd', 2000, 4],
        ['hot', 2000, 4],
        ['before', 64, 4],
      ] as const
    ).map(([group, count, held]) => expertsSql({ group, count, held, skills }, tenant)),
    // (The triggers that keep these slept.)
    'select app.tally_anew(null)',
    // Without figures the planner would pair each of them with all of the others.
    'analyze tasks, projects',
    pastSql(tasks, tenant),
    "select setval(pg_get_serial_sequence('batches', 'id'), (select max(id) from batches))",
    'reset all',
  ];
}

/** What was before: leases that ran out, of experts who are gone. An empty table would flatter every index. */
const pastSql = (tasks: number, tenant: number) => `
  with person as materialized (
    insert into experts (tenant_id, handle, status) select ${tenant}, 'past-' || n, 'PAUSED' from generate_series(0, 499) n
    returning id
  ), numbered as materialized (
    select id, row_number() over (order by id) - 1 as n from person
  )
  insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state, epoch,
    lease_seconds, leased_at, lease_until, hold_until, ended_at, price_minor, currency)
  select t.tenant_id, t.id, person.id, p.id, t.batch_id, p.customer_id, p.lane_id, 1, t.wanted, 0, 'EXPIRED', 1, 1800, v.at, v.at, v.at, v.at,
    p.price_minor, p.currency
  from numbered person
  cross join (select app.clock_now() - interval '1 day' as at) v
  cross join generate_series(1, ${Math.min(100_000, tasks) / 500}) turn
  join tasks t on t.tenant_id = ${tenant} and t.id = 1 + (person.n + 500 * turn) * ${Math.max(1, Math.floor(tasks / 200_000))} % ${tasks}
  join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
  on conflict do nothing`;

/** Zipf: the k-th skill has 1/k of the first one's share. Every skill has a project at least, the frequent ones more. */
const projectsSql = ({ projects, skills }: Pick<Shape, 'projects' | 'skills'>, tenant: number) => `
  with share as (
    select k, sum(1.0 / k) over (order by k) / (select sum(1.0 / j) from generate_series(1, ${skills}) j) as upto
    from generate_series(1, ${skills}) k
  )
  insert into projects (tenant_id, customer_id, name, task_type_id, skill_id, lane_id, min_quality, price_minor, currency,
                        redundancy, weight, lease_seconds, idempotency_key, request_digest)
  select ${tenant}, 1 + n % 10, 'project-' || n, 1, z.k, 2 * z.k - 1 + t.tier, case t.tier when 0 then 0 else 0.7 end, 25, 'EUR',
         ${REDUNDANCY}, 10 * (1 + n % 3), 1800, 'key-' || n, 'bench'
  from generate_series(1, ${projects}) n
  cross join lateral (
    select case when n <= ${skills} then n
                else (select min(s.k) from share s where s.upto > (n * 0.6180339887) % 1 or s.k = ${skills}) end as k
  ) z
  cross join lateral (select (n / ${skills} + n) % 2 as tier) t
  order by n`;

/** Tasks by Zipf over skills, evenly over a skill's projects; they arrive in chunks of a hundred lines, by turns. */
const tasksSql = (tasks: number, tenant: number) => `
  with part as materialized (
    select p.id, p.customer_id,
           greatest(1, round(${tasks} * (1.0 / p.skill_id) / z.total / count(*) over (partition by p.skill_id)))::int as count
    from projects p
    cross join (select sum(1.0 / d.skill_id) as total from (select distinct skill_id from projects) d) z
    where p.tenant_id = ${tenant}
  ), batched as (
    insert into batches (tenant_id, id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count,
                         idempotency_key, content_digest, stored_at)
    overriding system value
    select ${tenant}, id, id, customer_id, 'batch', 'OPEN', 'JSONL', 'raw/' || id, 0, count, count, 'batch', 'bench', app.clock_now()
    from part
  )
  insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted)
  select ${tenant}, part.id, part.id, part.customer_id, line, 'payloads/' || part.id || '/' || line, 2, 'application/json', ${REDUNDANCY}
  from part cross join lateral generate_series(1, part.count) line
  order by line / 100, part.id, line`;

interface Experts {
  readonly group: Group;
  readonly count: number;
  readonly held: number;
  readonly skills: number;
}

/** Skills are drawn by the same Zipf law without repeats; the hot crowd has the first one in any case. */
const expertsSql = ({ group, count, held, skills }: Experts, tenant: number) => `
  with person as materialized (
    insert into experts (tenant_id, handle) select ${tenant}, '${group}-' || n from generate_series(1, ${count}) n
    returning id, handle
  ), known as materialized (
    insert into identities (tenant_id, issuer, subject, display_name)
    select ${tenant}, '${DEVELOPMENT_ISSUER}', handle, handle from person returning id, subject
  ), acting as (
    insert into identity_roles (tenant_id, identity_id, role, expert_id)
    select ${tenant}, known.id, 'EXPERT', person.id from known join person on person.handle = known.subject
  )
  insert into expert_skills (tenant_id, expert_id, skill_id, status, quality_mean, quality_lower)
  select ${tenant}, person.id, s.k, 'ACTIVE', 0.9, 0.8
  from person cross join lateral (
    select k from generate_series(1, ${skills}) k
    order by ${group === 'hot' ? 'k > 1, ' : ''}
      -ln((1 + abs(hashint8(person.id * 1000 + k)::bigint) % 1000000) / 1000001.0) * k
    limit ${held}
  ) s`;
