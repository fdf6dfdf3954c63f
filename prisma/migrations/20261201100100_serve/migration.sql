-- Many submits and claims of one tenant in one transaction.
set local role touchstone_owner;

create function app.serve(p_tenant bigint, p_submits jsonb, p_claims jsonb) returns jsonb language plpgsql as $$
declare
  v_submits jsonb := '[]';
  v_claims jsonb := '[]';
  r record;
begin
  perform set_config('lock_timeout', '500ms', true);
  perform pg_advisory_xact_lock(7246, hashint8(p_tenant));
  for r in
    select * from jsonb_to_recordset(p_submits) as s(expert bigint, actor bigint, assignment bigint, epoch integer,
      body text, digest text, confidence real, "values" jsonb)
  loop
    v_submits := v_submits || app.submit(p_tenant, r.expert, r.actor, r.assignment, r.epoch, r.body, r.digest, r.confidence, r."values");
  end loop;
  for r in
    select * from jsonb_to_recordset(p_claims) as c(expert bigint, actor bigint, skill bigint, "tokenHash" text, "requestId" text)
  loop
    v_claims := v_claims || app.claim(p_tenant, r.expert, r.skill, r.actor, decode(r."tokenHash", 'hex'), r."requestId");
  end loop;
  return jsonb_build_object('submits', v_submits, 'claims', v_claims);
end
$$;

create function app.claim_exact(p_tenant bigint, p_expert bigint, p_skill bigint, p_actor bigint, p_token_hash bytea, p_request text)
returns jsonb language plpgsql as $$
begin
  return app.claim(p_tenant, p_expert, p_skill, p_actor, p_token_hash, p_request);
end
$$;
