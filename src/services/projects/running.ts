import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { maybeOne, type Queryable } from '../platform/rows.js';
import { ProjectNotRunningError } from './errors.js';

const ProjectRow = z.object({ isRunning: z.boolean(), priceMinor: z.bigint(), isCritical: z.boolean() });
type RunningProject = z.infer<typeof ProjectRow>;

/**
 * A project that is to be changed, locked against a cancel; a customer's must be their own.
 * @throws NotFoundError, ProjectNotRunningError
 */
export async function runningProject(
  tx: Queryable,
  { tenantId, role, customerId }: Viewer,
  projectId: bigint,
): Promise<RunningProject> {
  const owner = role === 'CUSTOMER' ? customerId : null;
  const project = await maybeOne(
    tx,
    ProjectRow,
    Prisma.sql`
      select state = 'RUNNING' as "isRunning", price_minor as "priceMinor", is_critical as "isCritical" from projects
      where tenant_id = ${tenantId} and id = ${projectId} and (${owner}::bigint is null or customer_id = ${owner}::bigint)
      for no key update`,
  );
  if (project === null) {
    throw new NotFoundError('project');
  }
  if (!project.isRunning) {
    throw new ProjectNotRunningError();
  }
  return project;
}
