import type { Context } from '../context.js';
import type { EscalateTaskInput } from '../schema/quality/escalation.js';
import type { SetRedundancyInput } from '../schema/quality/redundancy.js';
import { InputInvalidError } from '../services/access/errors.js';
import { type RedundancyChange, setRedundancy as set } from '../services/projects/redundancy.js';
import * as escalation from '../services/quality/adjudication/escalate.js';

export async function setRedundancy(
  input: typeof SetRedundancyInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ projectId: bigint }> {
  const projectId = input.projectId.id;
  const change = { projectId, policy: policyOf(input), isCritical: input.isCritical ?? false };
  await set(app.db, viewer, change);
  return { projectId };
}

function policyOf({
  fixed,
  agree,
  posterior,
}: typeof SetRedundancyInput.$inferInput): RedundancyChange['policy'] {
  const given: RedundancyChange['policy'][] = [
    ...(fixed ? [{ kind: 'FIXED', ...fixed } as const] : []),
    ...(agree ? [{ kind: 'AGREE', ...agree } as const] : []),
    ...(posterior
      ? [
          {
            kind: 'POSTERIOR',
            posterior: posterior.posterior,
            min: posterior.min,
            max: posterior.max,
            errorCostMinor: costOf(posterior.errorCost),
          } as const,
        ]
      : []),
  ];
  const [policy] = given;
  if (policy === undefined || given.length > 1) {
    throw new InputInvalidError([{ path: '/policy', message: 'Give one of fixed, agree and posterior.' }]);
  }
  return policy;
}

const costOf = (cost: bigint | null | undefined) =>
  cost === null || cost === undefined ? null : Number(cost);

export async function escalateTask(
  { taskId, reason }: typeof EscalateTaskInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ taskId: bigint }> {
  await escalation.escalateTask(app.db, viewer, { taskId: taskId.id, reason });
  return { taskId: taskId.id };
}
