import type pg from 'pg';
import type { Expert, World } from './factories.js';
import { numberOf } from './look.js';

// What is true of a queue, from the facts alone (tasks, projects, assignments, skills), never from the queue itself.

const QUALIFIED = `
  exists (
    select from expert_skills s join experts x on x.tenant_id = s.tenant_id and x.id = s.expert_id
    where s.tenant_id = t.tenant_id and s.expert_id = $2 and s.skill_id = p.skill_id and x.status = 'ACTIVE'
      and s.status in ('PROBATION', 'ACTIVE') and s.taken_for >= p.min_quality)`;

const FREE_SLOT = `
  t.state = 'OPEN' and p.state = 'RUNNING' and t.wanted > (
    select count(*) from assignments a
    where a.tenant_id = t.tenant_id and a.task_id = t.id
      and (a.state in ('SUBMITTED', 'ACCEPTED') or a.state = 'LEASED' and a.lease_until > app.clock_now()))`;

const MINE = `
  exists (select from assignments a where a.tenant_id = t.tenant_id and a.task_id = t.id and a.expert_id = $2
            and (a.state not in ('LEASED', 'EXPIRED', 'RELEASED') or a.state = 'LEASED' and a.lease_until > app.clock_now()))`;

const NAMED = `(t.allow is null or $2 = any (t.allow)) and not $2 = any (coalesce(t.block, '{}'))`;

const count = (where: string) => `
  select count(*) from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
  where t.tenant_id = $1 and ${where}`;

/** How many tasks this expert could be given at this moment. */
export const claimable = (
  admin: pg.Client,
  world: Pick<World, 'tenantId'>,
  expert: Expert,
): Promise<number> =>
  numberOf(admin, count(`${QUALIFIED} and ${FREE_SLOT} and ${NAMED} and not ${MINE}`), [
    world.tenantId,
    expert.expertId,
  ]);

/** How many tasks with a free slot they could have had, and have answered (or flagged) already. */
export const answeredOpen = (
  admin: pg.Client,
  world: Pick<World, 'tenantId'>,
  expert: Expert,
): Promise<number> =>
  numberOf(admin, count(`${QUALIFIED} and ${FREE_SLOT} and ${MINE}`), [world.tenantId, expert.expertId]);
