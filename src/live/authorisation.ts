import { type Role, scopeOf, type Viewer } from '../services/access/viewer.js';
import { type Database, withScope } from '../services/platform/database.js';
import { seesProject } from '../services/projects/visibility.js';
import { SubscriptionError } from './errors.js';

/** Refuses a viewer whose acting role has no such subscription. */
export function requireRole({ role }: Viewer, roles: readonly Role[]): void {
  if (!roles.includes(role)) {
    throw new SubscriptionError('FORBIDDEN', `This subscription is not for the role ${role}.`);
  }
}

/** Refuses a project that row-level security does not show to the viewer, whether it exists or not. */
export async function requireProject(db: Database, viewer: Viewer, projectId: bigint | null): Promise<void> {
  if (projectId === null) {
    throw new SubscriptionError('NOT_FOUND', 'Say which project.');
  }
  if (!(await seesProject(db, viewer, projectId))) {
    throw new SubscriptionError('NOT_FOUND', 'There is no such project.');
  }
}

/** Refuses a skill that is not of the viewer's tenant. */
export async function requireSkill(db: Database, viewer: Viewer, skillId: bigint): Promise<void> {
  const found = await withScope(db, scopeOf(viewer), (tx) =>
    tx.skill.findFirst({ where: { id: skillId }, select: { id: true } }),
  );
  if (found === null) {
    throw new SubscriptionError('NOT_FOUND', 'There is no such skill.');
  }
}
