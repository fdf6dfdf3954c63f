-- Tenants, customers, identities with their roles, experts and their skills.
set local role touchstone_owner;

create table tenants (
  id bigint generated always as identity primary key,
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz(3) not null default app.clock_now()
);

create table customers (
  tenant_id bigint not null references tenants,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);

create table experts (
  tenant_id bigint not null references tenants,
  id bigint generated always as identity,
  -- How the expert is called inside the tenant (for imports: the worker's number in the file).
  handle text not null check (length(handle) between 1 and 200),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'PAUSED')),
  created_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  unique (tenant_id, handle)
);

-- Who an access token speaks for: its issuer and subject, inside one tenant.
create table identities (
  tenant_id bigint not null references tenants,
  id bigint generated always as identity,
  issuer text not null check (length(issuer) between 1 and 500),
  subject text not null check (length(subject) between 1 and 500),
  display_name text not null check (length(display_name) between 1 and 200),
  created_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  unique (tenant_id, issuer, subject)
);

-- A token carries exactly one acting role; these are the roles that an identity may choose from.
create table identity_roles (
  tenant_id bigint not null,
  identity_id bigint not null,
  role text not null check (role in ('EXPERT', 'CUSTOMER', 'ANALYST', 'DISPATCHER', 'OPERATOR')),
  customer_id bigint,
  expert_id bigint,
  primary key (tenant_id, identity_id, role),
  foreign key (tenant_id, identity_id) references identities (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers (tenant_id, id),
  foreign key (tenant_id, expert_id) references experts (tenant_id, id),
  unique (tenant_id, expert_id),
  check ((role = 'CUSTOMER') = (customer_id is not null)),
  check ((role = 'EXPERT') = (expert_id is not null))
);

create table skills (
  tenant_id bigint not null references tenants,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);

create table expert_skills (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  status text not null default 'PROBATION' check (status in ('PROBATION', 'ACTIVE', 'PAUSED')),
  -- Measured quality in this skill: posterior mean, and the lower credible bound that gates work (0..1).
  quality_mean double precision not null default 0.5 check (quality_mean between 0 and 1),
  quality_lower double precision not null default 0 check (quality_lower between 0 and quality_mean),
  updated_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, expert_id, skill_id),
  foreign key (tenant_id, expert_id) references experts (tenant_id, id),
  foreign key (tenant_id, skill_id) references skills (tenant_id, id)
);
-- "Who has this skill": capacity, and pausing a skill.
create index expert_skills_by_skill on expert_skills (tenant_id, skill_id, status);
