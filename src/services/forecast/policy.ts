import { ForbiddenError, InputInvalidError, NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { type Database, type Tx, withService } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import * as sql from './policy.sql.js';
import type { ProjectName } from './risk.sql.js';

/** From which chance on a deadline is at risk, and what follows for the project's tasks. */
export interface RiskPolicy {
  /** A batch is at risk while its chance is below this; .5 to .99. */
  readonly threshold: number;
  /** How many times its weight the project counts while a batch of it is at risk, at most 8; null: it is not lifted. */
  readonly lift: number | null;
  /** Nor while its chance is not below this: the threshold when an operator last set the policy, for a customer's is not theirs to be lifted by. */
  readonly liftBelow: number;
}

/** What holds where nobody has said otherwise. */
export const DEFAULT_POLICY: RiskPolicy = { threshold: 0.8, lift: null, liftBelow: 0.8 };

const THRESHOLD = { min: 0.5, max: 0.99 } as const;
const LIFT_MAX = 8;

/**
 * No longer at risk from this chance on: half of the way from the threshold to certainty (.9 for .8), so that a forecast
 * that trembles at a limit is not news each time.
 */
export const onTrackFrom = (threshold: number): number => (1 + threshold) / 2;

/** What is said of a policy; what is left out stays as it is. */
export interface PolicyChange {
  readonly projectId: bigint;
  readonly threshold?: number;
  readonly lift?: number | null;
}

/**
 * Sets from which chance on a project's deadlines are at risk, and whether that lifts its tasks: kept as a fact, in force
 * from its next forecast. A lift is at the cost of the others, so only an operator may allow it.
 * @throws NotFoundError, InputInvalidError; ForbiddenError where a customer sets a lift
 */
export async function setRiskPolicy(db: Database, viewer: Viewer, change: PolicyChange): Promise<void> {
  const { tenantId, identityId: actorId, role } = viewer;
  if (role === 'CUSTOMER' && change.lift !== undefined) {
    throw new ForbiddenError('Only an operator may have a project lifted: it is at the cost of the others.');
  }
  const issues = faultsOf(change);
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
  await retrying(() =>
    withService(db, { tenantId, actorId }, async (tx) => {
      const project = { tenantId, projectId: change.projectId };
      // Locked, so that of two changes at once neither takes back what the other said.
      const owner = await sql.lockOwner(tx, project);
      if (owner === null || (role === 'CUSTOMER' && owner.customerId !== viewer.customerId)) {
        throw new NotFoundError('project');
      }
      const [now = DEFAULT_POLICY] = await sql.policiesOf(tx, [project]);
      const { threshold = now.threshold, lift = now.lift } = change;
      const liftBelow = role === 'CUSTOMER' ? now.liftBelow : threshold;
      await sql.insertPolicy(tx, { ...project, ...owner, actorId }, { threshold, lift, liftBelow });
    }),
  );
}

function faultsOf({ threshold, lift }: PolicyChange): { path: string; message: string }[] {
  const faults = [];
  if (threshold !== undefined && !(threshold >= THRESHOLD.min && threshold <= THRESHOLD.max)) {
    faults.push({
      path: '/threshold',
      message: `Give a probability from ${THRESHOLD.min} to ${THRESHOLD.max}.`,
    });
  }
  if (lift !== undefined && lift !== null && !(lift > 1 && lift <= LIFT_MAX)) {
    faults.push({
      path: '/lift',
      message: `Give how many times its weight it is to count, more than 1 and at most ${LIFT_MAX}, or null.`,
    });
  }
  return faults;
}

/** The policies of some projects, each as last set; those of which nothing was said are left out. */
export async function policiesOf(
  tx: Tx,
  projects: readonly ProjectName[],
): Promise<ReadonlyMap<bigint, RiskPolicy>> {
  const rows = await sql.policiesOf(tx, projects);
  return new Map(rows.map(({ projectId, ...policy }) => [projectId, policy]));
}

export type ShownPolicy = sql.ShownPolicy;

/** The policy of some projects, of those that the scope shows, and since when each is lifted; `id` is the project's. */
export const shownPolicies = (tx: Tx, projectIds: readonly bigint[]): Promise<ShownPolicy[]> =>
  sql.shownPolicies(tx, projectIds, DEFAULT_POLICY);
