import { type Role, scopeOf, type Viewer } from '../services/access/viewer.js';
import { type Database, withScope } from '../services/platform/database.js';
import type { Beginnings } from './beginnings.js';
import { SubscriptionError } from './errors.js';
import type { LiveParts } from './parts.js';
import type { Ending } from './subscription.js';

interface Parts {
  readonly db: Database;
  readonly beginnings: Beginnings;
}

/** Refuses a viewer whose acting role has no such subscription. */
export function requireRole({ role }: Viewer, roles: readonly Role[]): void {
  if (!roles.includes(role)) {
    throw new SubscriptionError('FORBIDDEN', `This subscription is not for the role ${role}.`);
  }
}

/** Refuses a project that row-level security does not show to the viewer, whether it exists or not. */
export async function requireProject(
  { beginnings }: Parts,
  viewer: Viewer,
  projectId: bigint | null,
): Promise<bigint> {
  if (projectId === null) {
    throw new SubscriptionError('NOT_FOUND', 'Say which project.');
  }
  if (!(await beginnings.seesProject(viewer, projectId))) {
    throw new SubscriptionError('NOT_FOUND', 'There is no such project.');
  }
  return projectId;
}

/** Refuses a skill that is not of the viewer's tenant. */
export async function requireSkill(
  { db, beginnings }: Parts,
  viewer: Viewer,
  skillId: bigint,
): Promise<void> {
  const found = await beginnings.inTurn(viewer, () =>
    withScope(db, scopeOf(viewer), (tx) =>
      tx.skill.findFirst({ where: { id: skillId }, select: { id: true } }),
    ),
  );
  if (found === null) {
    throw new SubscriptionError('NOT_FOUND', 'There is no such skill.');
  }
}

/** The expert asked for: staff must say which, an expert is always themselves. Refuses one whom the viewer may not see. */
export async function requireExpert(
  { db, beginnings }: Parts,
  viewer: Viewer,
  asked: bigint | null,
): Promise<bigint> {
  const expertId = asked ?? viewer.expertId;
  if (expertId === null) {
    throw new SubscriptionError('NOT_FOUND', 'Say which expert.');
  }
  const found = await beginnings.inTurn(viewer, () =>
    withScope(db, scopeOf(viewer), (tx) =>
      tx.expert.findFirst({ where: { tenantId: viewer.tenantId, id: expertId }, select: { id: true } }),
    ),
  );
  if (found === null || (viewer.expertId !== null && viewer.expertId !== expertId)) {
    throw new SubscriptionError('NOT_FOUND', 'There is no such expert.');
  }
  return expertId;
}

/** Ends what was begun by somebody who may not act as an expert, soon after they may: who hears of gold must not meet it. */
export const untilExpert =
  ({ revocation }: Pick<LiveParts, 'revocation'>, viewer: Viewer): Ending =>
  (end) =>
    revocation.watchNoExpert(viewer, () => end(hearsOfGold()));

/** Of whoever may act as an expert. */
export const hearsOfGold = (): SubscriptionError =>
  new SubscriptionError('FORBIDDEN', 'Whoever may act as an expert may not hear of gold.');
