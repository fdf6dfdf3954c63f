import { NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import type { Queryable } from '../platform/rows.js';
import { ProjectNotRunningError } from './errors.js';
import { type ChangingProject, lockToChange } from './projects.sql.js';

/**
 * A project that is to be changed, locked against a cancel; a customer's must be their own.
 * @throws NotFoundError, ProjectNotRunningError
 */
export async function runningProject(
  tx: Queryable,
  { tenantId, role, customerId }: Viewer,
  projectId: bigint,
): Promise<ChangingProject> {
  const owner = role === 'CUSTOMER' ? customerId : null;
  const project = await lockToChange(tx, { tenantId, projectId, customerId: owner });
  if (project === null) {
    throw new NotFoundError('project');
  }
  if (!project.isRunning) {
    throw new ProjectNotRunningError();
  }
  return project;
}
