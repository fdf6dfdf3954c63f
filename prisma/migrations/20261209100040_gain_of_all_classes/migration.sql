-- What one more answer is worth: its errors are spread over all classes, as in what it is judged by, and not over the four that are looked at; what
-- falls on the others says nothing of those.
set local role touchstone_owner;

create or replace function app.gain_of_more(p_posterior double precision[], p_accuracy double precision, p_left integer)
returns double precision language sql immutable as $$
  with likeliest as (
    select array_agg(b.p / b.total order by b.p desc) as p, count(*)::integer as classes,
           (1 - p_accuracy) / (cardinality(p_posterior) - 1) as wrong, cardinality(p_posterior) - count(*) as others from (
      select q.p, sum(q.p) over () as total from (select p from unnest(p_posterior) as u(p) order by p desc limit 4) q
    ) b
  ), ways as (
    select k, array[a, b, c, d] as counts, k - a - b - c - d as elsewhere,
           f[k + 1] / (f[a + 1] * f[b + 1] * f[c + 1] * f[d + 1] * f[k - a - b - c - d + 1]) as ways
    from (select array[1, 1, 2, 6, 24, 120]::double precision[] as f) factorials
    cross join generate_series(1, least(p_left, 5)) as k
    cross join generate_series(0, k) as a
    cross join generate_series(0, k - a) as b
    cross join generate_series(0, k - a - b) as c
    cross join generate_series(0, k - a - b - c) as d
  ), expected as (
    select w.k, sum(w.ways * m.most) as maximum
    from ways w cross join likeliest s
    cross join lateral (
      select max(s.p[i] * power(p_accuracy, w.counts[i]) * power(s.wrong, w.k - w.counts[i])) * power(s.others, w.elsewhere) as most
      from generate_series(1, s.classes) as i
    ) m
    -- Counts of classes that there are not.
    where not exists (select from generate_series(s.classes + 1, 4) as i where w.counts[i] > 0) and (s.others > 0 or w.elsewhere = 0)
    group by w.k
  )
  select greatest(0, max((e.maximum - s.p[1]) / e.k)) from expected e cross join likeliest s
$$;
