-- Dimensions on a ratio scale: interval ones for everything but agreement, which counts every pair of their values.
set local role touchstone_owner;

-- How a dimension is measured, so that what is kept of it is bounded whatever is answered:
--   CLASSES  nominal, ordinal and ratio of at most 50 declared values: every pair of values is counted
--   VALUES   other nominal ones: whether two answers are the same, and how often each value was said
--   NUMBERS  interval, and ordinal of more or undeclared values: sums, on an interval scale
create or replace function app.agreement_form(p_dimension jsonb) returns text language sql immutable as $$
  select case
    when (p_dimension ->> 'scale' in ('nominal', 'ordinal') or coalesce((p_dimension -> 'isRatio')::boolean, false))
     and jsonb_array_length(coalesce(p_dimension -> 'values', '[]')) between 1 and 50 then 'CLASSES'
    when p_dimension ->> 'scale' = 'nominal' then 'VALUES'
    else 'NUMBERS' end
$$;
