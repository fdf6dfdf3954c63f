-- Dispatch: jobs at places in time windows, the workers who go there, and offers: leases of a job to a worker. What may never
-- break (rules 13 to 15) is held here, by indexes, checks and triggers; see docs/dispatch.md.
set local role touchstone_owner;

-- How a tenant dispatches; without a row the defaults hold.
create table dispatch_settings (
  tenant_id bigint primary key references tenants,
  -- Whose midnight ends a day, and in which shifts are told: a name of the IANA database.
  time_zone text not null default 'UTC' check (length(time_zone) between 1 and 100),
  -- What a minute of travel, a job taken today, and a minute of slack weigh in the score of a candidate.
  eta_weight double precision not null default 1 check (eta_weight between 0 and 1000),
  fairness_weight double precision not null default 2 check (fairness_weight between 0 and 1000),
  slack_weight double precision not null default 0.1 check (slack_weight between 0 and 1000),
  -- How long an offer stands: of a job for now, and of one for later.
  offer_seconds integer not null default 20 check (offer_seconds between 5 and 600),
  later_offer_seconds integer not null default 900 check (later_offer_seconds between 60 and 86400),
  -- For how long who declined a job, or let its offer end, is not asked for that job again.
  cooldown_seconds integer not null default 600 check (cooldown_seconds between 0 and 86400),
  -- How long after the expected arrival somebody is told that nobody checked in.
  no_show_seconds integer not null default 900 check (no_show_seconds between 60 and 86400),
  -- How far from a job it is looked for workers.
  search_metres integer not null default 25000 check (search_metres between 500 and 200000)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 50);

create function app.dispatch_settings_of(p_tenant bigint) returns dispatch_settings language plpgsql stable as $$
declare
  v_settings dispatch_settings;
begin
  select * into v_settings from dispatch_settings s where s.tenant_id = p_tenant;
  if not found then
    v_settings := row(p_tenant, 'UTC', 1, 2, 0.1, 20, 900, 600, 900, 25000);
  end if;
  return v_settings;
end
$$;

-- An expert who goes to places. x of a point is the longitude, y the latitude, in degrees of WGS 84.
create table workers (
  tenant_id bigint not null,
  expert_id bigint not null,
  active boolean not null default true,
  -- Days of ISO 8601 on which a shift begins (1: Monday), and its local times; one that ends no later than it begins goes on
  -- past midnight.
  shift_days smallint[] not null check (cardinality(shift_days) between 1 and 7 and shift_days <@ '{1,2,3,4,5,6,7}'),
  shift_start time(0) not null,
  shift_end time(0) not null,
  -- Jobs that they may have at the same time.
  capacity smallint not null default 1 check (capacity between 1 and 10),
  home_latitude double precision not null check (home_latitude between -90 and 90),
  home_longitude double precision not null check (home_longitude between -180 and 180),
  -- Where they work; null: wherever they are sent, which they have chosen.
  service_area polygon check (npoints(service_area) between 3 and 200),
  travels boolean not null,
  updated_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, expert_id),
  foreign key (tenant_id, expert_id) references experts (tenant_id, id),
  check (travels = (service_area is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);

create table jobs (
  tenant_id bigint not null,
  id bigint generated always as identity,
  customer_id bigint not null,
  kind text not null check (kind in ('ON_DEMAND', 'SCHEDULED')),
  -- What sort of work it is, in the customer's words.
  type text not null check (length(type) between 1 and 200),
  skill_ids bigint[] not null check (cardinality(skill_ids) <= 20),
  min_quality double precision not null check (min_quality between 0 and 1),
  latitude double precision not null check (latitude between -90 and 90),
  longitude double precision not null check (longitude between -180 and 180),
  -- Work begins in this window.
  not_before timestamptz(3) not null,
  due_by timestamptz(3) not null,
  duration_seconds integer not null check (duration_seconds between 60 and 86400),
  priority smallint not null check (priority between 1 and 10),
  state text not null default 'OPEN'
    check (state in ('OPEN', 'OFFERED', 'ACCEPTED', 'IN_PROGRESS', 'DONE', 'CANCELLED', 'UNASSIGNED_ALERT')),
  -- The offer that is live, or was accepted.
  offer_id bigint,
  -- How many offers of it were made: the number of the last one.
  epoch integer not null default 0 check (epoch >= 0),
  -- When it is to be assigned by whoever looks then; null: not by itself.
  assign_at timestamptz(3),
  -- Why it is in its state, in words.
  reason text check (length(reason) between 1 and 2000),
  check_in_code text not null check (check_in_code ~ '^[0-9]{6}$'),
  check_in_failures smallint not null default 0 check (check_in_failures between 0 and 5),
  created_at timestamptz(3) not null default app.clock_now(),
  accepted_at timestamptz(3),
  -- When whoever accepted is expected to have checked in at the latest, and when it was told that they have not.
  no_show_due_at timestamptz(3),
  no_show_at timestamptz(3),
  checked_in_at timestamptz(3),
  done_at timestamptz(3),
  cancelled_at timestamptz(3),
  idempotency_key text not null check (length(idempotency_key) between 1 and 200),
  request_digest text not null,
  primary key (tenant_id, id),
  unique (tenant_id, customer_id, idempotency_key),
  foreign key (tenant_id, customer_id) references customers (tenant_id, id),
  check (not_before <= due_by),
  check ((offer_id is not null) = (state in ('OFFERED', 'ACCEPTED', 'IN_PROGRESS', 'DONE'))),
  check ((accepted_at is not null) = (state in ('ACCEPTED', 'IN_PROGRESS', 'DONE'))),
  check ((checked_in_at is not null) = (state in ('IN_PROGRESS', 'DONE'))),
  check ((no_show_due_at is not null) = (state = 'ACCEPTED')),
  check (no_show_at is null or state = 'ACCEPTED'),
  check ((done_at is not null) = (state = 'DONE')),
  check ((cancelled_at is not null) = (state = 'CANCELLED')),
  check (assign_at is null or state in ('OPEN', 'UNASSIGNED_ALERT')),
  check (state <> 'UNASSIGNED_ALERT' or reason is not null)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index jobs_by_customer on jobs (tenant_id, customer_id, id);
create index jobs_to_assign on jobs (assign_at) where assign_at is not null;
create index jobs_awaited on jobs (no_show_due_at) where no_show_at is null and no_show_due_at is not null;
create index jobs_unassigned on jobs (tenant_id, due_by) where state in ('OPEN', 'UNASSIGNED_ALERT');

create table offers (
  tenant_id bigint not null,
  id bigint generated always as identity,
  job_id bigint not null,
  expert_id bigint not null,
  -- Of the job: each offer has the next.
  epoch integer not null check (epoch >= 1),
  kind text not null check (kind in ('AUTO', 'MANUAL')),
  state text not null
    check (state in ('LIVE', 'ACCEPTED', 'DONE', 'DECLINED', 'EXPIRED', 'WITHDRAWN', 'REASSIGNED', 'PREEMPTED')),
  -- Whether it is of a job for now: of those a worker has one live at a time.
  occupies boolean not null,
  offered_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  -- By the tenant's midnight: jobs today are counted by it.
  accepted_day date,
  -- When it was no longer live; of one that was accepted, when it ended.
  ended_at timestamptz(3),
  -- From the departure to the end of the work, and which of the worker's hands it takes: 1 to their capacity.
  busy tstzrange not null check (not isempty(busy)),
  slot smallint not null check (slot between 1 and 10),
  eta_seconds double precision not null check (eta_seconds >= 0),
  -- What the road alone was said to take: what arrivals are compared with.
  eta_road_seconds double precision not null check (eta_road_seconds >= 0),
  eta_low_seconds double precision not null check (eta_low_seconds between 0 and eta_seconds),
  eta_high_seconds double precision not null check (eta_high_seconds >= eta_seconds),
  eta_confidence text not null check (eta_confidence in ('HIGH', 'LOW', 'MANUAL')),
  -- The score that it won with (least wins), and what it was made of; nobody scores what somebody decides.
  score double precision,
  jobs_today integer check (jobs_today >= 0),
  slack_seconds double precision,
  -- The fix that the worker was found by: both clocks, and the H3 cell of resolution 8.
  fix_device_at timestamptz(3),
  fix_received_at timestamptz(3),
  fix_cell text check (length(fix_cell) between 1 and 20),
  -- Who decided, and why: of what a dispatcher did.
  actor_id bigint,
  reason text check (length(reason) between 1 and 2000),
  primary key (tenant_id, id),
  foreign key (tenant_id, job_id) references jobs (tenant_id, id),
  foreign key (tenant_id, expert_id) references workers (tenant_id, expert_id),
  unique (tenant_id, job_id, epoch),
  check ((ended_at is null) = (state in ('LIVE', 'ACCEPTED'))),
  check ((accepted_at is null) = (accepted_day is null)),
  check (state not in ('ACCEPTED', 'DONE', 'REASSIGNED') or accepted_at is not null),
  check (state not in ('LIVE', 'DECLINED', 'EXPIRED') or accepted_at is null),
  check (expires_at >= offered_at),
  -- An offer is accepted while it stands, and ends by itself when it stands no more.
  check (kind = 'MANUAL' or accepted_at is null or accepted_at < expires_at),
  check (state <> 'EXPIRED' or ended_at >= expires_at),
  -- Rule 15: whoever goes around the candidates says who they are and why.
  constraint offers_by_hand check ((kind = 'MANUAL') = (eta_confidence = 'MANUAL') and (kind = 'AUTO' or actor_id is not null and reason is not null)),
  -- Rule 14: by both clocks, nobody is offered a job for now of whom nothing was heard for half a minute.
  constraint offers_fresh check (kind <> 'AUTO' or not occupies
    or fix_device_at is not null and fix_received_at is not null
       and offered_at - fix_device_at <= interval '30 seconds' and offered_at - fix_received_at <= interval '30 seconds'),
  -- Rule 13: what a worker has at one time never overlaps in one hand. Ranges of one number stand for equal numbers, so that no
  -- extension is needed; experts' numbers are unique in the whole database.
  constraint offers_no_overlap exclude using gist (int8range(expert_id * 16 + slot, expert_id * 16 + slot, '[]') with =, busy with &&)
    where (state in ('LIVE', 'ACCEPTED'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
-- Rule 13: one live offer or acceptance of a job; one live offer of a job for now to a worker.
create unique index offers_one_of_job on offers (tenant_id, job_id) where state in ('LIVE', 'ACCEPTED');
create unique index offers_one_of_worker on offers (tenant_id, expert_id) where state = 'LIVE' and occupies;
create index offers_held on offers (tenant_id, expert_id) where state in ('LIVE', 'ACCEPTED');
create index offers_due on offers (expires_at) where state = 'LIVE';
create index offers_by_worker on offers (tenant_id, expert_id, id);
create index offers_today on offers (tenant_id, expert_id, accepted_day) where accepted_day is not null;

alter table jobs add foreign key (tenant_id, offer_id) references offers (tenant_id, id);

-- What was shown at check-in, and what proves that the work was done.
create table job_attachments (
  tenant_id bigint not null,
  id bigint generated always as identity,
  job_id bigint not null,
  offer_id bigint not null,
  customer_id bigint not null,
  kind text not null check (kind in ('CHECK_IN', 'PROOF')),
  content_type text not null check (length(content_type) between 1 and 200),
  content bytea not null check (octet_length(content) between 1 and 262144),
  sha256 text not null,
  created_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, job_id) references jobs (tenant_id, id),
  foreign key (tenant_id, offer_id) references offers (tenant_id, id),
  check (sha256 = encode(sha256(content), 'hex'))
);
create index job_attachments_by_job on job_attachments (tenant_id, job_id, id);

-- Every move of a job: who, when, why. Written by a trigger, so that none is left out.
create table job_moves (
  tenant_id bigint not null,
  id bigint generated always as identity,
  job_id bigint not null,
  from_state text,
  to_state text not null,
  offer_id bigint,
  -- Null: by itself.
  actor_id bigint,
  reason text,
  at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, job_id) references jobs (tenant_id, id)
);
create index job_moves_by_job on job_moves (tenant_id, job_id, id);

create trigger permanent before update or delete on job_moves for each row execute function app.refuse_change();
create trigger permanent_truncate before truncate on job_moves for each statement execute function app.refuse_change();
create trigger permanent before update or delete on job_attachments for each row execute function app.refuse_change();
create trigger permanent_truncate before truncate on job_attachments for each statement execute function app.refuse_change();

-- The last fix of each worker, for what is rebuilt from it. Strictly newer by the device's clock, or nothing.
create table latest_fixes (
  tenant_id bigint not null,
  expert_id bigint not null,
  latitude double precision not null check (latitude between -90 and 90),
  longitude double precision not null check (longitude between -180 and 180),
  -- H3, resolution 8.
  cell text not null check (length(cell) between 1 and 20),
  device_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  primary key (tenant_id, expert_id),
  foreign key (tenant_id, expert_id) references workers (tenant_id, expert_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

create function app.keep_order() returns trigger language plpgsql as $$
begin
  if new.device_at <= old.device_at then
    return null;
  end if;
  return new;
end
$$;
create trigger newer_wins before update on latest_fixes for each row execute function app.keep_order();

-- The legal moves of a job; every other is refused, whoever asks.
create function app.check_job() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    raise exception 'A job begins OPEN, not %.', new.state using errcode = 'XR002';
  end if;
  if old.state <> new.state and (old.state, new.state) not in (
    ('OPEN', 'OFFERED'), ('OPEN', 'ACCEPTED'), ('OPEN', 'UNASSIGNED_ALERT'), ('OPEN', 'CANCELLED'),
    ('OFFERED', 'ACCEPTED'), ('OFFERED', 'OPEN'), ('OFFERED', 'CANCELLED'),
    ('ACCEPTED', 'IN_PROGRESS'), ('ACCEPTED', 'OPEN'), ('ACCEPTED', 'CANCELLED'),
    ('IN_PROGRESS', 'DONE'), ('IN_PROGRESS', 'CANCELLED'),
    ('UNASSIGNED_ALERT', 'OFFERED'), ('UNASSIGNED_ALERT', 'ACCEPTED'), ('UNASSIGNED_ALERT', 'CANCELLED'))
  then
    raise exception 'A job does not go from % to %.', old.state, new.state using errcode = 'XR002';
  end if;
  if new.state = 'DONE' and old.state <> 'DONE' and not exists (
    select from job_attachments a where a.tenant_id = new.tenant_id and a.job_id = new.id and a.offer_id = new.offer_id and a.kind = 'PROOF')
  then
    raise exception 'A job is done with a proof.' using errcode = 'XR002';
  end if;
  if (old.type, old.skill_ids, old.latitude, old.longitude, old.customer_id, old.kind) is distinct from
     (new.type, new.skill_ids, new.latitude, new.longitude, new.customer_id, new.kind)
  then
    raise exception 'What a job is does not change.' using errcode = 'XR002';
  end if;
  return new;
end
$$;
create trigger legal before update on jobs for each row execute function app.check_job();
-- (After the policies have had their say.)
create trigger begun after insert on jobs for each row when (new.state <> 'OPEN') execute function app.check_job();

-- Writes each move down, tells of it, and raises or ends the alerts that it means.
create function app.note_job() returns trigger language plpgsql as $$
declare
  v_from text := case when tg_op = 'UPDATE' then old.state end;
  v_body jsonb := jsonb_build_object('jobId', new.id, 'state', new.state, 'previous', v_from, 'dueBy', new.due_by, 'noShow', new.no_show_at is not null);
begin
  if v_from is distinct from new.state then
    insert into job_moves (tenant_id, job_id, from_state, to_state, offer_id, actor_id, reason, at)
    values (new.tenant_id, new.id, v_from, new.state, coalesce(new.offer_id, case when tg_op = 'UPDATE' then old.offer_id end),
            app.actor_id(), new.reason, app.clock_now());
  end if;
  perform app.append_event(new.tenant_id, 'job/staff', case when new.no_show_at is not null then 'NO_SHOW' else new.state end,
    v_body || jsonb_build_object('offerId', new.offer_id, 'customerId', new.customer_id, 'reason', new.reason), null, null);
  perform app.append_event(new.tenant_id, 'job/customer/' || new.customer_id, new.state, v_body - 'noShow', new.customer_id, null);
  if new.state = 'UNASSIGNED_ALERT' then
    perform app.raise_alert(new.tenant_id, 'JOB_UNASSIGNED', 'job/' || new.id, 'WARNING',
      format('A job "%s" due by %s UTC has nobody to go: %s', new.type, to_char(new.due_by at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), new.reason), '{}');
  elsif v_from = 'UNASSIGNED_ALERT' then
    perform app.resolve_alert(new.tenant_id, 'JOB_UNASSIGNED', 'job/' || new.id);
  end if;
  if new.no_show_at is not null then
    perform app.raise_alert(new.tenant_id, 'JOB_NO_SHOW', 'job/' || new.id, 'CRITICAL',
      format('Nobody has checked in at a job "%s" due by %s UTC that was accepted: look after it, and reassign it if need be.', new.type,
             to_char(new.due_by at time zone 'UTC', 'YYYY-MM-DD HH24:MI')), '{}');
  elsif v_from = 'ACCEPTED' then
    perform app.resolve_alert(new.tenant_id, 'JOB_NO_SHOW', 'job/' || new.id);
  end if;
  return null;
end
$$;
create trigger noted after insert on jobs for each row execute function app.note_job();
create trigger noted_again after update on jobs for each row
  when (old.state <> new.state or old.no_show_at is distinct from new.no_show_at or old.reason is distinct from new.reason)
  execute function app.note_job();

-- An offer that ended stays ended, and is of one job and one worker for ever.
create function app.check_offer() returns trigger language plpgsql as $$
begin
  if old.state <> new.state and not (old.state = 'LIVE' or old.state = 'ACCEPTED' and new.state in ('DONE', 'WITHDRAWN', 'REASSIGNED', 'PREEMPTED'))
     or (old.job_id, old.expert_id, old.epoch, old.kind, old.offered_at, old.expires_at) is distinct from
        (new.job_id, new.expert_id, new.epoch, new.kind, new.offered_at, new.expires_at)
  then
    raise exception 'An offer does not go from % to %.', old.state, new.state using errcode = 'XR002';
  end if;
  return new;
end
$$;
create trigger legal before update on offers for each row execute function app.check_offer();

create function app.note_offer() returns trigger language plpgsql as $$
begin
  perform app.append_event(new.tenant_id, 'offer/expert/' || new.expert_id, new.state,
    jsonb_build_object('offerId', new.id, 'jobId', new.job_id, 'epoch', new.epoch, 'state', new.state, 'expiresAt', new.expires_at), null, new.expert_id);
  return null;
end
$$;
create trigger noted after insert on offers for each row execute function app.note_offer();
create trigger noted_again after update of state on offers for each row when (old.state <> new.state) execute function app.note_offer();

-- Jobs have alerts of their own. Dispatchers hear of those and of no other.
alter table alerts drop constraint alerts_kind_check, add constraint alerts_kind_check check (kind in ('DEADLINE_AT_RISK',
  'SKILL_STARVED', 'SKILL_SHORT', 'EXPERT_PAUSED', 'GOLD_LEAKED', 'GOLD_SUSPENDED', 'EXPERT_FINDING', 'ADJUDICATIONS_WAITING',
  'BATCH_FAILED', 'LEASES_LAPSED', 'WEBHOOK_FAILING', 'BUDGET_EXHAUSTED', 'JOB_UNASSIGNED', 'JOB_NO_SHOW'));

do $$
declare
  staff text[] := array['OPERATOR', 'ANALYST', 'DISPATCHER'];
  own_customer text := 'customer_id = (select app.customer_id())';
  own_expert text := 'expert_id = (select app.expert_id())';
  -- What a worker has been offered, for as long as it is theirs.
  offered text := 'exists (select from offers o where o.tenant_id = %1$I.tenant_id and o.%2$I = %1$I.%3$I'
    ' and o.expert_id = (select app.expert_id()) and o.state in (''LIVE'', ''ACCEPTED'', ''DONE''))';
begin
  perform app.protect('dispatch_settings', 'false', 'true', staff);
  perform app.protect('workers', 'false', own_expert, array['OPERATOR', 'DISPATCHER']);
  perform app.protect('jobs', own_customer, format(offered, 'jobs', 'job_id', 'id'), staff);
  perform app.protect('offers', 'false', own_expert, staff);
  perform app.protect('job_attachments', own_customer, format(offered, 'job_attachments', 'id', 'offer_id'), array['OPERATOR', 'DISPATCHER']);
  perform app.protect('job_moves', 'false', 'false', staff);
  perform app.protect('latest_fixes', 'false', own_expert, '{}');
end
$$;
create policy jobs_for_dispatchers on alerts for select to touchstone_app, touchstone_analyst
  using (tenant_id = (select app.tenant_id()) and (select app.scope_role()) = 'DISPATCHER' and kind in ('JOB_UNASSIGNED', 'JOB_NO_SHOW'));

grant select on dispatch_settings, workers, jobs, offers, job_attachments, job_moves, latest_fixes to touchstone_app, touchstone_system;
grant insert on dispatch_settings, workers, jobs, offers, job_attachments, job_moves, latest_fixes to touchstone_app;
grant insert on offers, job_moves, latest_fixes to touchstone_system;
grant update (time_zone, eta_weight, fairness_weight, slack_weight, offer_seconds, later_offer_seconds, cooldown_seconds, no_show_seconds,
  search_metres) on dispatch_settings to touchstone_app;
grant update (active, shift_days, shift_start, shift_end, capacity, home_latitude, home_longitude, service_area, travels, updated_at)
  on workers to touchstone_app, touchstone_system;
grant update (state, offer_id, epoch, assign_at, reason, check_in_failures, accepted_at, no_show_due_at, no_show_at, checked_in_at,
  done_at, cancelled_at) on jobs to touchstone_app, touchstone_system;
grant update (state, accepted_at, accepted_day, ended_at) on offers to touchstone_app, touchstone_system;
grant update (latitude, longitude, cell, device_at, received_at) on latest_fixes to touchstone_app, touchstone_system;
grant delete on latest_fixes to touchstone_app, touchstone_system;
