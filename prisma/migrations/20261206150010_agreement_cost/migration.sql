-- What some counted answers amount to, in time that grows with their number and no faster: how they meet is looked for inside each
-- task. (Joined by task and dimension it was quadratic in the tasks of a round, for the planner knows nothing of how many there are.)
set local role touchstone_owner;

-- The rows of agreement_cells that some counted answers amount to.
create or replace function app.agreement_cells_of(p_tenant bigint, p_assignments bigint[])
returns table (project_id bigint, skill_id bigint, task_type_id bigint, dimension text, expert_id bigint, peer_id bigint, size smallint,
               said text, heard text, customer_id bigint, pairs bigint, spread numeric)
language sql stable as $$
  with given as materialized (
    select * from app.agreement_given(p_tenant, p_assignments)
  ), units as materialized (
    -- The answers to a task beside each other: joined by name they would be compared with all others of the batch.
    select g.task_id, g.project_id, g.customer_id, g.skill_id, g.task_type_id, g.dimension, g.form, g.size,
           array_agg(g.expert_id order by g.expert_id) as experts, array_agg(g.said order by g.expert_id) as saids,
           array_agg(g.number order by g.expert_id) as numbers, sum(g.number) as total, sum(g.number * g.number) as squares
    from given g group by g.task_id, g.project_id, g.customer_id, g.skill_id, g.task_type_id, g.dimension, g.form, g.size
  ), met as materialized (
    select u.project_id, u.customer_id, u.skill_id, u.task_type_id, u.dimension, g.expert_id, u.size::smallint as size, g.said, c.heard,
           c.answers - (c.heard = g.said)::integer as pairs, 0::numeric as spread
    from units u
    cross join lateral (select h.heard, count(*) as answers from unnest(u.saids) as h(heard) group by h.heard) c
    cross join lateral unnest(u.experts, u.saids) as g(expert_id, said)
    where u.form = 'CLASSES' and c.answers > (c.heard = g.said)::integer
    union all
    select u.project_id, u.customer_id, u.skill_id, u.task_type_id, u.dimension, g.expert_id, u.size::smallint, o.said, 'SAME', o.pairs, 0
    from units u
    cross join lateral unnest(u.experts, u.saids) as g(expert_id, said)
    cross join lateral (select count(*) as answers from unnest(u.saids) as h(heard) where h.heard = g.said) c
    cross join lateral (values ('SAME', c.answers - 1), ('OTHER', u.size - c.answers)) as o(said, pairs)
    where u.form = 'VALUES' and o.pairs > 0
    union all
    -- Of x to all others: the sum of (x - y)^2 is m x^2 - 2 x (sum of y) + (sum of y^2), x itself among them.
    select u.project_id, u.customer_id, u.skill_id, u.task_type_id, u.dimension, g.expert_id, u.size::smallint, '', '', u.size - 1,
           u.size * g.number * g.number - 2 * g.number * u.total + u.squares
    from units u
    cross join lateral unnest(u.experts, u.numbers) as g(expert_id, number)
    where u.form = 'NUMBERS'
  )
  select m.project_id, m.skill_id, m.task_type_id, m.dimension, 0::bigint, 0::bigint, m.size, least(m.said collate "C", m.heard collate "C"),
         greatest(m.said collate "C", m.heard collate "C"), m.customer_id, sum(m.pairs)::bigint, sum(m.spread)
  from met m group by 1, 2, 3, 4, 7, 8, 9, 10
  union all
  select 0, m.skill_id, m.task_type_id, m.dimension, 0, 0, m.size, least(m.said collate "C", m.heard collate "C"),
         greatest(m.said collate "C", m.heard collate "C"), 0, sum(m.pairs)::bigint, sum(m.spread)
  from met m group by 2, 3, 4, 7, 8, 9
  union all
  select 0, m.skill_id, m.task_type_id, m.dimension, m.expert_id, 0, m.size, m.said, m.heard, 0, sum(m.pairs)::bigint, sum(m.spread)
  from met m group by 2, 3, 4, 5, 7, 8, 9
  union all
  select u.project_id, u.skill_id, u.task_type_id, u.dimension, g.expert_id, o.expert_id, 2, v.said, v.heard, u.customer_id, count(*), sum(v.spread)
  from units u
  cross join lateral unnest(u.experts, u.saids, u.numbers) with ordinality as g(expert_id, said, number, place)
  cross join lateral unnest(u.experts, u.saids, u.numbers) with ordinality as o(expert_id, said, number, place)
  cross join lateral (select
    case u.form when 'CLASSES' then g.said when 'VALUES' then case when g.said = o.said then 'SAME' else 'OTHER' end else '' end as said,
    case u.form when 'CLASSES' then o.said when 'VALUES' then 'SAME' else '' end as heard,
    case u.form when 'NUMBERS' then (g.number - o.number) * (g.number - o.number) else 0 end as spread) v
  where u.size <= app.agreement_pairs_max() and o.place > g.place group by 1, 2, 3, 4, 5, 6, 8, 9, 10
$$;

-- The rows of agreement_totals that some counted answers amount to, but for the squares of how often values were said.
create or replace function app.agreement_totals_of(p_tenant bigint, p_assignments bigint[])
returns table (project_id bigint, skill_id bigint, task_type_id bigint, dimension text, expert_id bigint, peer_id bigint, customer_id bigint,
               tasks bigint, answers bigint, total numeric, squares numeric)
language sql stable as $$
  with given as materialized (
    select * from app.agreement_given(p_tenant, p_assignments)
  )
  select s.project_id, g.skill_id, g.task_type_id, g.dimension, 0::bigint, 0::bigint, s.customer_id, count(*) filter (where g.is_first), count(*),
         coalesce(sum(g.number) filter (where g.form = 'NUMBERS'), 0), coalesce(sum(g.number * g.number) filter (where g.form = 'NUMBERS'), 0)
  from given g cross join lateral (values (g.project_id, g.customer_id), (0, 0)) as s(project_id, customer_id)
  group by 1, 2, 3, 4, 7
  union all
  select 0, g.skill_id, g.task_type_id, g.dimension, g.expert_id, 0, 0, count(*), count(*), 0, 0
  from given g group by 2, 3, 4, 5
  union all
  select u.project_id, u.skill_id, u.task_type_id, u.dimension, a.expert_id, b.expert_id, u.customer_id, count(*), 2 * count(*), 0, 0
  from (select g.task_id, g.project_id, g.skill_id, g.task_type_id, g.dimension, g.customer_id, array_agg(g.expert_id order by g.expert_id) as experts
        from given g where g.size <= app.agreement_pairs_max()
        group by g.task_id, g.project_id, g.skill_id, g.task_type_id, g.dimension, g.customer_id) u
  cross join lateral unnest(u.experts) with ordinality as a(expert_id, place)
  cross join lateral unnest(u.experts) with ordinality as b(expert_id, place)
  where b.place > a.place group by 1, 2, 3, 4, 5, 6, 7
$$;
