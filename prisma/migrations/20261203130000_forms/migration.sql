-- What an expert saw when they answered: the client and the variant of the form. And what is asked of quality, by all of it.
set local role touchstone_owner;

-- A fact of its own beside the answer, where the client said anything.
create table answer_forms (
  tenant_id bigint not null,
  assignment_id bigint not null,
  project_id bigint not null,
  customer_id bigint not null,
  expert_id bigint not null,
  client_version text check (length(client_version) between 1 and 100),
  form_variant text check (length(form_variant) between 1 and 100),
  primary key (tenant_id, assignment_id),
  check (num_nonnulls(client_version, form_variant) >= 1)
);
create index answer_forms_by_project on answer_forms (tenant_id, project_id, assignment_id);
create trigger permanent before update or delete on answer_forms for each row execute function app.refuse_change();
create trigger permanent_truncate before truncate on answer_forms for each statement execute function app.refuse_change();
do $$
begin
  perform app.protect('answer_forms', 'customer_id = (select app.customer_id())', 'expert_id = (select app.expert_id())', array['OPERATOR', 'ANALYST']);
end
$$;
create policy line_as_service on answer_forms to touchstone_line using (tenant_id = (select app.service_tenant()));
grant select on answer_forms to touchstone_app, touchstone_system, touchstone_line;
grant insert on answer_forms to touchstone_app, touchstone_line;

-- Keeps what was said of the form with the answers that this transaction has stored: the first word counts, like the answer.
create function app.keep_forms(p_tenant bigint, p_submits jsonb) returns void language plpgsql as $$
begin
  if not exists (select from jsonb_array_elements(p_submits) s where coalesce(s ->> 'clientVersion', s ->> 'formVariant') is not null) then
    return;
  end if;
  insert into answer_forms (tenant_id, assignment_id, project_id, customer_id, expert_id, client_version, form_variant)
  select p_tenant, n.assignment_id, n.project_id, n.customer_id, n.expert_id, s."clientVersion", s."formVariant"
  from jsonb_to_recordset(p_submits) as s(assignment bigint, expert bigint, "clientVersion" text, "formVariant" text)
  join answers n on n.tenant_id = p_tenant and n.assignment_id = s.assignment and n.expert_id = s.expert
    and n.submitted_at = app.clock_now()
  where coalesce(s."clientVersion", s."formVariant") is not null
  on conflict do nothing;
end
$$;

-- One submit by itself, with what was said of its form.
create function app.submit_with_form(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_epoch integer, p_body text,
                                     p_digest text, p_confidence real, p_values jsonb, p_client text, p_variant text)
returns jsonb language plpgsql as $$
declare
  v_out jsonb := app.submit(p_tenant, p_expert, p_actor, p_assignment, p_epoch, p_body, p_digest, p_confidence, p_values);
begin
  perform app.keep_forms(p_tenant, jsonb_build_array(jsonb_build_object('assignment', p_assignment, 'expert', p_expert,
    'clientVersion', p_client, 'formVariant', p_variant)));
  return v_out;
end
$$;

-- A batch: submits, then claims, in one transaction. Answers {submits: [...], claims: [...]} in the order given; see
-- app.submit_all and app.claim_all. A refusal is an outcome; an error leaves nothing of the whole batch.
--
-- One batch of a tenant's claims at a time, over all nodes, and one of its submits: batches of a kind side by side only
-- step over each other's rows. Whoever waits
-- longer than a moment for a row that somebody else holds gives the batch up, and its requests are run one by one.
create or replace function app.serve(p_tenant bigint, p_submits jsonb, p_claims jsonb) returns jsonb language plpgsql as $$
declare
  v_submissions app.submission[];
  v_requests app.claim_request[];
  v_submits jsonb := '[]';
begin
  perform set_config('lock_timeout', '500ms', true);
  if p_submits <> '[]' then
    perform pg_advisory_xact_lock(7247, hashint8(p_tenant));
  end if;
  if p_claims <> '[]' then
    perform pg_advisory_xact_lock(7246, hashint8(p_tenant));
  end if;
  perform app.enter_service(p_tenant, null);
  v_submissions := array(
    select (s.expert, s.assignment, s.epoch, s.body, s.digest, s.confidence, s."values")::app.submission
    from rows from (jsonb_to_recordset(p_submits) as (expert bigint, assignment bigint, epoch integer, body text,
      digest text, confidence real, "values" jsonb)) with ordinality as s order by s.ordinality);
  v_requests := array(
    select (c.expert, c.actor, c.skill, decode(c."tokenHash", 'hex'), c."requestId")::app.claim_request
    from rows from (jsonb_to_recordset(p_claims) as (expert bigint, actor bigint, skill bigint, "tokenHash" text,
      "requestId" text)) with ordinality as c order by c.ordinality);
  if v_submissions <> '{}' then
    v_submits := to_jsonb(app.submit_all(p_tenant, v_submissions));
    perform app.keep_forms(p_tenant, p_submits);
  end if;
  return jsonb_build_object(
    'submits', v_submits,
    'claims', case when v_requests = '{}' then '[]' else to_jsonb(app.claim_all(p_tenant, v_requests)) end);
end
$$;
