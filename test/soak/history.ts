import { expect } from 'vitest';
import { numberOf } from '../support/look.js';
import type { Shift } from './shift.js';

/** Holds the database against what the clients were told: nothing acknowledged is lost, changed, doubled or unpaid. */
export async function checkHistory({ t, world, receipts }: Shift): Promise<void> {
  const { rows } = await t.admin.query<{
    id: string;
    digest: string;
    at: Date;
    paid: string;
    payouts: number;
  }>(
    `select n.assignment_id as id, n.digest, n.submitted_at as at,
            (select coalesce(sum(p.amount_minor), 0) from payouts p where p.tenant_id = n.tenant_id and p.assignment_id = n.assignment_id) as paid,
            (select count(*)::int from payouts p where p.tenant_id = n.tenant_id and p.assignment_id = n.assignment_id) as payouts
     from answers n where n.tenant_id = $1 order by n.assignment_id`,
    [world.tenantId],
  );
  const stored = rows.map((row) => ({
    assignmentId: BigInt(row.id),
    digest: row.digest,
    submittedAt: row.at,
    priceMinor: BigInt(row.paid),
    currency: 'EUR',
  }));
  const told = [...receipts.values()].sort((a, b) => Number(a.assignmentId - b.assignmentId));
  expect(stored).toEqual(told);
  expect(rows.filter((row) => row.payouts !== 1)).toEqual([]);
  expect(await numberOf(t.admin, UNFINISHED, [world.tenantId])).toBe(0);
}

/** Open tasks of running projects that somebody could still answer. */
const UNFINISHED = `
  select count(*) from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
  where t.tenant_id = $1 and t.state = 'OPEN' and p.state = 'RUNNING' and exists (
    select from experts x where x.tenant_id = t.tenant_id and not exists (
      select from assignments a where a.tenant_id = t.tenant_id and a.task_id = t.id and a.expert_id = x.id
        and a.state in ('SUBMITTED', 'FLAGGED')))`;
