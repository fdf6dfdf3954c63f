import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { NotFoundError } from '../../access/errors.js';
import { checkedWords } from '../../access/profile.js';
import type { Viewer } from '../../access/viewer.js';
import { BudgetExceededError } from '../../payouts/budget-errors.js';
import { BEYOND_BUDGET } from '../../payouts/budgets.sql.js';
import { callHot, type Database } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import { sqlState } from '../../platform/sqlstate.js';
import { NotEscalatableError } from '../errors.js';

const Answer = z.object({ outcome: z.enum(['OK', 'NOT_FOUND', 'NOT_DONE', 'ADJUDICATED', 'NOT_RUNNING']) });

/**
 * Sends a task that is done to a stronger expert who has not seen it, with a reason that is kept. Their answer counts as
 * one more, by their own record.
 * @throws NotFoundError, InputInvalidError, NotEscalatableError, BudgetExceededError
 */
export async function escalateTask(
  db: Database,
  viewer: Viewer,
  { taskId, reason }: { taskId: bigint; reason: string },
): Promise<void> {
  const { tenantId, identityId } = viewer;
  const customerId = viewer.role === 'CUSTOMER' ? viewer.customerId : null;
  const text = checkedWords(reason);
  const query = Prisma.sql`
    select app.escalate_task(${tenantId}::bigint, ${identityId}::bigint, ${taskId}::bigint, ${customerId}::bigint, ${text}::text)`;
  const { outcome } = Answer.parse(
    await retrying(() => callHot(db, 'escalate_task', query)).catch(withinBudget),
  );
  if (outcome === 'NOT_FOUND') {
    throw new NotFoundError('task');
  }
  if (outcome !== 'OK') {
    throw new NotEscalatableError(outcome);
  }
}

function withinBudget(error: unknown): never {
  throw sqlState(error) === BEYOND_BUDGET ? new BudgetExceededError() : error;
}
