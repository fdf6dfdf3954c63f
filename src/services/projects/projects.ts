import { z } from 'zod';
import { InputInvalidError, type InputIssue, NotFoundError } from '../access/errors.js';
import { checkAll } from '../access/faults.js';
import { checkedName } from '../access/people.js';
import type { Viewer } from '../access/viewer.js';
import { canonicalJson, sha256Hex } from '../platform/canonical.js';
import { callHot, type Database, withService } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import { ANSWERS_MAX } from '../quality/redundancy/policy.js';
import { AlreadyStoppedError, IdempotencyConflictError } from './errors.js';
import * as sql from './projects.sql.js';
import { BAR_MAX, canonicalRequirement, isQuality, NO_REQUIREMENT, type Requirement } from './requirement.js';
import { runningProject } from './running.js';

/** A minute to eight hours; from one second for projects made by imports, the demo and tests. */
export const LEASE_SECONDS = { min: 60, max: 28_800, default: 1_800 } as const;

export interface NewProject {
  /** Whose project; a customer can only name itself. */
  readonly customerId: bigint;
  readonly name: string;
  readonly taskTypeId: bigint;
  readonly skillId: bigint;
  /** For one accepted answer, in minor units of the currency. Fixed for an assignment when it is claimed. */
  readonly priceMinor: bigint;
  /** ISO 4217, three capital letters. */
  readonly currency: string;
  /** Independent answers wanted for each task (1..100). */
  readonly redundancy: number;
  /** Least lower bound of measured quality, 0..1, at most two decimals. */
  readonly minQuality: number;
  /** What else an expert needs; absent: nothing. It makes the lane, and never changes. */
  readonly requirement?: Requirement;
  /** Tasks of the project that one expert may take; absent or null: as many as there are. */
  readonly maxPerExpert?: number | null;
  /** Share of a skill's claims against other projects (1..1000). */
  readonly weight: number;
  readonly leaseSeconds: number;
  readonly deadline: Date | null;
  readonly idempotencyKey: string;
  /** Where it comes from; the public API never sets it. */
  readonly origin?: 'API' | 'IMPORT' | 'DEMO' | 'TEST';
}

/**
 * Creates a running project without tasks. The same key with the same content answers the first project again.
 * @throws InputInvalidError, NotFoundError, IdempotencyConflictError
 */
export async function createProject(
  db: Database,
  viewer: Viewer,
  input: NewProject,
): Promise<{ projectId: bigint }> {
  const { tenantId, identityId: actorId } = viewer;
  if (viewer.role === 'CUSTOMER' && input.customerId !== viewer.customerId) {
    throw new NotFoundError('customer');
  }
  const origin = input.origin ?? 'API';
  const { name, requirement } = checkAll({
    name: () => checkedName('/name', input.name),
    requirement: () => checkProject(input, origin),
  });
  const requestDigest = digestOf({ ...input, ...given(input, requirement), name, origin });
  return withService(db, { tenantId, actorId }, async (tx) => {
    const found = await sql.findReferences(tx, { ...input, tenantId, requirement });
    for (const what of ['customer', 'taskType', 'skill'] as const) {
      if (!found[what]) {
        throw new NotFoundError(what === 'taskType' ? 'task type' : what);
      }
    }
    const lane = await sql.ensureLane(tx, { ...input, tenantId, requirement });
    const maxPerExpert = input.maxPerExpert ?? null;
    const row = {
      ...input,
      requirement,
      maxPerExpert,
      name,
      origin,
      tenantId,
      laneId: lane.id,
      requestDigest,
    };
    const made = await sql.insertProject(tx, row);
    if (made !== null) {
      return { projectId: made.id };
    }
    const first = await sql.findByKey(tx, { tenantId, ...input });
    if (first.requestDigest !== requestDigest) {
      throw new IdempotencyConflictError();
    }
    return { projectId: first.id };
  });
}

/**
 * Cancels a project for good. STOP ends live leases at once; FINISH lets each be submitted and paid within its present
 * lease. After it has returned no claim of the project succeeds; what was submitted is paid.
 * @throws NotFoundError, AlreadyStoppedError
 */
export async function cancelProject(
  db: Database,
  viewer: Viewer,
  { projectId, policy }: { projectId: bigint; policy: 'STOP' | 'FINISH' },
): Promise<void> {
  const call = {
    tenantId: viewer.tenantId,
    actorId: viewer.identityId,
    projectId,
    customerId: viewer.role === 'CUSTOMER' ? viewer.customerId : null,
  };
  const result = await retrying(() => callHot(db, 'cancel_project', sql.cancelProject(call, policy)));
  const { outcome } = z.object({ outcome: z.enum(['OK', 'NOT_FOUND', 'ALREADY_STOPPED']) }).parse(result);
  if (outcome === 'NOT_FOUND') {
    throw new NotFoundError('project');
  }
  if (outcome === 'ALREADY_STOPPED') {
    throw new AlreadyStoppedError();
  }
}

/**
 * Changes the name, deadline or weight of a project. What it asks of experts stays as it was: the work that
 * waits stands in the lane of that.
 * @throws NotFoundError, InputInvalidError, ProjectNotRunningError
 */
export async function updateProject(
  db: Database,
  viewer: Viewer,
  { projectId, ...change }: sql.ProjectChange & { projectId: bigint },
): Promise<void> {
  const { tenantId, identityId: actorId } = viewer;
  const { named } = checkAll({
    weight: () => checkWeight(change.weight ?? 1),
    named: () =>
      change.name === undefined ? change : { ...change, name: checkedName('/name', change.name) },
  });
  await withService(db, { tenantId, actorId }, async (tx) => {
    await runningProject(tx, viewer, projectId);
    await sql.updateProject(tx, { tenantId, projectId }, named);
  });
}

/**
 * Sets how long later claims of a project may be held; leases that are held keep theirs.
 * @throws NotFoundError, InputInvalidError
 */
export async function setLease(
  db: Database,
  viewer: Viewer,
  { projectId, leaseSeconds }: { projectId: bigint; leaseSeconds: number },
): Promise<void> {
  const { tenantId, identityId: actorId } = viewer;
  await withService(db, { tenantId, actorId }, async (tx) => {
    const project = await sql.lockProject(tx, { tenantId, projectId });
    if (project === null) {
      throw new NotFoundError('project');
    }
    const issues = leaseIssues(leaseSeconds, project.origin);
    if (issues.length > 0) {
      throw new InputInvalidError(issues);
    }
    await sql.updateLease(tx, { tenantId, projectId, leaseSeconds });
  });
}

function leaseIssues(leaseSeconds: number, origin: string): InputIssue[] {
  const min = origin === 'API' ? LEASE_SECONDS.min : 1;
  return Number.isInteger(leaseSeconds) && leaseSeconds >= min && leaseSeconds <= LEASE_SECONDS.max
    ? []
    : [{ path: '/leaseSeconds', message: `Give whole seconds from ${min} to ${LEASE_SECONDS.max}.` }];
}

function checkWeight(weight: number): void {
  if (!within(1, 1000)(weight)) {
    throw new InputInvalidError([{ path: '/weight', message: 'Give a whole number from 1 to 1000.' }]);
  }
}

const within = (min: number, max: number) => (n: number) => Number.isInteger(n) && n >= min && n <= max;

/** What asks for nothing more has the digest that it had before there was more to ask for. */
function given({ maxPerExpert }: NewProject, requirement: Requirement) {
  const isEmpty = canonicalJson(plain(requirement)) === canonicalJson(plain(NO_REQUIREMENT));
  return { requirement: isEmpty ? undefined : requirement, maxPerExpert: maxPerExpert ?? undefined };
}

function checkProject(input: NewProject, origin: string): Requirement {
  const rules: [ok: boolean, path: string, message: string][] = [
    [
      input.priceMinor >= 0n && input.priceMinor <= 1_000_000_000n,
      '/price/minorUnits',
      'Give 0 to 1,000,000,000 minor units.',
    ],
    [/^[A-Z]{3}$/.test(input.currency), '/price/currency', 'Give an ISO 4217 code, such as EUR.'],
    [
      within(1, ANSWERS_MAX)(input.redundancy),
      '/redundancy',
      `Give a whole number from 1 to ${ANSWERS_MAX}.`,
    ],
    [within(1, 1000)(input.weight), '/weight', 'Give a whole number from 1 to 1000.'],
    [
      within(1, 1_000_000)(input.maxPerExpert ?? 1),
      '/maxPerExpert',
      'Give a whole number from 1 to 1,000,000, or null for no limit.',
    ],
    [
      isQuality(input.minQuality) && input.minQuality <= BAR_MAX,
      '/minQuality',
      `Give a number from 0 to ${BAR_MAX} with at most two decimals: more cannot be proven.`,
    ],
    [isKey(input.idempotencyKey), '/idempotencyKey', 'Give 1 to 200 characters without control characters.'],
    [
      input.deadline === null || !Number.isNaN(input.deadline.getTime()),
      '/deadline',
      'Give an instant in UTC.',
    ],
  ];
  const issues = rules.filter(([ok]) => !ok).map(([, path, message]) => ({ path, message }));
  issues.push(...leaseIssues(input.leaseSeconds, origin));
  const read = canonicalRequirement(input.requirement ?? NO_REQUIREMENT, input.skillId);
  if ('issues' in read || issues.length > 0) {
    throw new InputInvalidError([...issues, ...('issues' in read ? read.issues : [])]);
  }
  return read.requirement;
}

/** Whether text can be an idempotency key. */
export function isKey(key: string): boolean {
  return key.length >= 1 && key.length <= 200 && !/\p{Cc}|\p{Cs}/u.test(key);
}

function digestOf(input: object): string {
  return sha256Hex(canonicalJson(plain(input)));
}

function plain(input: object): unknown {
  return JSON.parse(
    JSON.stringify(input, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
  );
}
