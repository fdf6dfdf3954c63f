import { Prisma } from '../../generated/prisma/client.js';
import type { RuleCheck } from '../platform/rules.js';

const PERMANENT = [
  'answers',
  'answer_values',
  'task_flags',
  'postings',
  'ledger_lines',
  'payouts',
  'ledger_stamps',
  'ledger_entries',
  'gold_draws',
  'gradings',
  'voided_gradings',
  'restored_gradings',
  'budget_changes',
  'gold_findings',
  'risk_policies',
  'job_moves',
  'job_attachments',
];

/** Rules 8 (grants), 16 and 17: who can see and change what, read from the catalogue. */
export const accessRules: readonly RuleCheck[] = [
  {
    rule: 16,
    claim: 'Every table with a tenant has row-level security, forced, for reading and writing.',
    looked: Prisma.sql`
      select count(*) from pg_attribute c join pg_class t on t.oid = c.attrelid
      where c.attname = 'tenant_id' and t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace and not t.relispartition`,
    broken: Prisma.sql`
      select t.relname::text as what
      from pg_attribute c join pg_class t on t.oid = c.attrelid
      where (c.attname = 'tenant_id' or t.relname = 'tenants') and c.attnum > 0
        and t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace and not t.relispartition
        and (not t.relrowsecurity or not t.relforcerowsecurity
             or (select count(distinct p.polcmd) from pg_policy p
                 where p.polrelid = t.oid and 'touchstone_app'::regrole = any (p.polroles)) < 4
             or exists (select from pg_policy p
                        where p.polrelid = t.oid and p.polroles && array['touchstone_app'::regrole::oid, 'touchstone_line'::regrole]
                        and coalesce(pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) !~ 'app\\.(tenant_id|service_tenant)\\(\\)'))
      group by t.relname`,
  },
  {
    rule: 16,
    claim:
      'The roles that requests and jobs run as own nothing, bypass nothing, and cannot reach a partition or truncate.',
    looked: Prisma.sql`select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')`,
    broken: Prisma.sql`
      select format('%s owns %s', r.rolname, c.relname) as what
      from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname in ('touchstone_app', 'touchstone_line', 'touchstone_analyst', 'touchstone_system')
      union all
      select format('%s bypasses row-level security', rolname) from pg_roles
      where rolname in ('touchstone_app', 'touchstone_line', 'touchstone_analyst', 'touchstone_system', 'touchstone_owner') and (rolbypassrls or rolsuper)
      union all
      select format('%s may reach the partition %s', r.rolname, c.relname)
      from pg_class c cross join pg_roles r
      where c.relnamespace = 'public'::regnamespace and c.relispartition and c.relkind = 'r'
        and r.rolname in ('touchstone_app', 'touchstone_line', 'touchstone_analyst', 'touchstone_system')
        and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete')
      union all
      select format('%s may truncate %s', r.rolname, c.relname)
      from pg_class c cross join pg_roles r
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and r.rolname in ('touchstone_app', 'touchstone_line', 'touchstone_analyst', 'touchstone_system') and has_table_privilege(r.oid, c.oid, 'truncate')
      union all
      select format('view %s reads with its owner''s rights', c.relname) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
        and not coalesce(c.reloptions, '{}') @> array['security_invoker=true']
      union all
      select format('function %s runs with its owner''s rights', p.proname) from pg_proc p
      where p.pronamespace in ('app'::regnamespace, 'public'::regnamespace) and p.prosecdef`,
  },
  {
    rule: 16,
    claim:
      'Analysts’ role reads what requests may read, under the same policies and in the ANALYST scope alone, and changes nothing.',
    looked: Prisma.sql`select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')`,
    broken: Prisma.sql`
      select format('touchstone_analyst may change %s', c.relname) as what from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
        and has_table_privilege('touchstone_analyst', c.oid, 'insert, update, delete, truncate, references, trigger')
      union all
      select format('touchstone_analyst and touchstone_app do not read %s alike', c.relname) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
        and has_table_privilege('touchstone_analyst', c.oid, 'select') <> has_table_privilege('touchstone_app', c.oid, 'select')
      union all
      select format('the policy %s of %s is not for touchstone_analyst too', p.polname, p.polrelid::regclass) from pg_policy p
      where 'touchstone_app'::regrole = any (p.polroles) and p.polcmd in ('r', '*') and 'touchstone_analyst'::regrole <> all (p.polroles)
      union all
      select format('%s is not closed to analysts outside their scope', c.relname) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relrowsecurity and not c.relispartition
        and has_table_privilege('touchstone_analyst', c.oid, 'select')
        and not exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive and p.polroles = array['touchstone_analyst'::regrole::oid]
                        and pg_get_expr(p.polqual, p.polrelid) ~ 'scope_role\\(\\).* = ''ANALYST''')`,
  },
  {
    rule: 8,
    claim: 'Nobody may change or remove a permanent fact, and a trigger refuses it even to the owner.',
    looked: Prisma.sql`select cardinality(${PERMANENT}::text[])::bigint as count`,
    broken: Prisma.sql`
      select format('%s may change %s', r.rolname, t.name) as what
      from unnest(${PERMANENT}::text[]) as t(name)
      cross join pg_roles r
      where r.rolname in ('touchstone_app', 'touchstone_line', 'touchstone_analyst', 'touchstone_system')
        and (has_table_privilege(r.oid, t.name, 'update, truncate')
          -- (What makes a grading void goes where the fact stands that it counts again: its trigger refuses it otherwise.)
          or has_table_privilege(r.oid, t.name, 'delete') and (t.name, r.rolname) not in (('voided_gradings', 'touchstone_app'), ('voided_gradings', 'touchstone_system')))
      union all
      select format('%s has no trigger', t.name)
      from unnest(${PERMANENT}::text[]) as t(name)
      where (select count(*) from pg_trigger g
             where g.tgrelid = t.name::regclass and g.tgname in ('permanent', 'permanent_truncate') and g.tgenabled = 'O') <> 2
      union all
      select format('%s has no trigger', i.inhrelid::regclass)
      from unnest(${PERMANENT}::text[]) as t(name)
      join pg_inherits i on i.inhparent = t.name::regclass
      join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
      where (select count(*) from pg_trigger g
             where g.tgrelid = i.inhrelid and g.tgname in ('permanent', 'permanent_truncate') and g.tgenabled = 'O') <> 2`,
  },
  {
    rule: 16,
    claim:
      'What has no foreign key still refers to its own tenant: assignments to tasks, experts and projects.',
    looked: Prisma.sql`select count(*) from assignments`,
    broken: Prisma.sql`
      select format('assignment %s of tenant %s', a.id, a.tenant_id) as what
      from assignments a
      left join tasks t on t.tenant_id = a.tenant_id and t.id = a.task_id
      left join experts x on x.tenant_id = a.tenant_id and x.id = a.expert_id
      left join projects p on p.tenant_id = a.tenant_id and p.id = a.project_id
      where t.id is null or x.id is null or p.id is null
         or t.project_id <> a.project_id or a.customer_id <> case t.kind when 'GOLD' then 0 else p.customer_id end
         or t.batch_id <> a.batch_id`,
  },
  {
    rule: 17,
    claim: 'Every payload URL is in the access log, for the same payload and claim.',
    looked: Prisma.sql`select count(*) from payload_grants`,
    broken: Prisma.sql`
      select format('URL for assignment %s of tenant %s', g.assignment_id, g.tenant_id) as what
      from payload_grants g
      left join access_log l on l.tenant_id = g.tenant_id and l.id = g.access_log_id
      where l.id is null or l.payload_key is distinct from g.payload_key or l.subject_id <> g.assignment_id`,
  },
];
