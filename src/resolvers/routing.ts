import type { Context } from '../context.js';
import type { ClaimTaskInput } from '../schema/routing/claim.js';
import type {
  FlagTaskInput,
  HeartbeatInput,
  ReclaimAssignmentInput,
  ReleaseAssignmentInput,
} from '../schema/routing/lease-mutations.js';
import type { SubmitInput } from '../schema/routing/submit.js';
import { NotFoundError } from '../services/access/errors.js';
import { DomainError, RetryLaterError } from '../services/platform/errors.js';
import * as claims from '../services/routing/claim.js';
import * as leases from '../services/routing/lease.js';
import { type Receipt, submitAnswer } from '../services/routing/submit.js';
import type { Loaders } from './loaders.js';
import { measured } from './measured.js';
import { backward, type Page } from './paging.js';
import { type AssignmentShape, type LeaseShape, shapeOfHeld, type TaskShape, taskOfHeld } from './shapes.js';

export async function claimTask(
  input: Pick<typeof ClaimTaskInput.$inferInput, 'skillId'>,
  ctx: Context,
): Promise<claims.ClaimResult> {
  const skillId = input.skillId?.id ?? null;
  const result = await claim(ctx, skillId);
  if (skillId !== null && 'empty' in result && result.empty.reason === 'NO_SKILL') {
    await requireSkill(skillId, ctx.load);
  }
  return result;
}

async function claim({ app, viewer, signal }: Context, skillId: bigint | null): Promise<claims.ClaimResult> {
  const measure = { seconds: app.telemetry.claimSeconds, span: 'service claim', classOf: classOfClaim };
  const result = await app.pace.claim(viewer, skillId, () =>
    measured(measure, () => claims.claimTask(app.db, viewer, { skillId, signal })),
  );
  app.telemetry.claims.inc({ outcome: 'held' in result ? 'ASSIGNMENT' : result.empty.reason });
  return result;
}

function classOfClaim(result: claims.ClaimResult): string {
  if ('held' in result) {
    return 'ASSIGNMENT';
  }
  return result.empty.reason === 'BUSY' ? 'BUSY' : 'EMPTY';
}

export async function submit(
  input: typeof SubmitInput.$inferInput,
  ctx: Context,
): Promise<{ receipt: Receipt; next: claims.ClaimResult | null }> {
  const { assignmentId, leaseEpoch, answer, confidence, clientVersion, formVariant } = input;
  const submission = {
    ...{ assignmentId: assignmentId.id, leaseEpoch, answer, confidence: confidence ?? null },
    clientVersion: clientVersion ?? null,
    formVariant: formVariant ?? null,
  };
  const { app, viewer, signal } = ctx;
  await app.pace.submit(viewer);
  const receipt = await counted(ctx, () => submitAnswer(app.db, viewer, { ...submission, signal }));
  const next = input.claimNext ? await claimNext(ctx, input.nextSkillId?.id ?? null) : null;
  return { receipt, next };
}

/** The receipt is not held back because there is no room for the claim, or it comes too soon: the client claims by itself. */
async function claimNext(ctx: Context, skillId: bigint | null): Promise<claims.ClaimResult | null> {
  try {
    return await claim(ctx, skillId);
  } catch (error) {
    if (error instanceof RetryLaterError) {
      return null;
    }
    throw error;
  }
}

export function heartbeat(input: typeof HeartbeatInput.$inferInput, { app, viewer }: Context) {
  const { assignmentId, leaseEpoch, lastActivitySeconds, draft } = input;
  const beat = { assignmentId: assignmentId.id, leaseEpoch, lastActivitySeconds };
  // A draft of null is no draft: nobody types null, and a client that has none may send the field all the same.
  const kept = draft === undefined || draft === null ? {} : { draft };
  const measure = {
    seconds: app.telemetry.heartbeatSeconds,
    span: 'service heartbeat',
    classOf: ({ extended }: leases.Lease) => (extended ? 'EXTENDED' : 'KEPT'),
  };
  return measured(measure, () => leases.heartbeat(app.db, viewer, { ...beat, ...kept }));
}

export const reclaimAssignment = (
  { assignmentId }: typeof ReclaimAssignmentInput.$inferInput,
  { app, viewer }: Context,
) => leases.reclaimAssignment(app.db, viewer, { assignmentId: assignmentId.id });

export async function releaseAssignment(
  { assignmentId, leaseEpoch }: typeof ReleaseAssignmentInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ id: bigint }> {
  await leases.releaseAssignment(app.db, viewer, { assignmentId: assignmentId.id, leaseEpoch });
  return { id: assignmentId.id };
}

export const flagTask = (input: typeof FlagTaskInput.$inferInput, { app, viewer }: Context) =>
  leases.flagTask(app.db, viewer, {
    assignmentId: input.assignmentId.id,
    leaseEpoch: input.leaseEpoch,
    reason: input.reason,
    note: input.note ?? null,
  });

export async function currentAssignment({ app, viewer }: Context): Promise<AssignmentShape | null> {
  const held = await claims.currentAssignment(app.db, viewer);
  return held === null ? null : shapeOfHeld(held);
}

export const assignments = (page: Page, ctx: Context) =>
  ctx.read((tx) => tx.assignment.findMany(backward(page)));

/** A lease that has run out is over, whether or not its row was moved yet. */
export async function stateOf(assignment: AssignmentShape, { load }: Context): Promise<string> {
  const { state, held, leaseUntil } = assignment;
  return state === 'LEASED' && !held && leaseUntil <= (await load.now()) ? 'EXPIRED' : state;
}

export async function leaseOf(assignment: AssignmentShape, { load }: Context): Promise<LeaseShape | null> {
  const { held, state, epoch, leaseUntil, leaseSeconds } = assignment;
  if (held) {
    return held;
  }
  const secondsLeft = (leaseUntil.getTime() - (await load.now()).getTime()) / 1000;
  return state === 'LEASED' && secondsLeft > 0 ? { epoch, leaseUntil, leaseSeconds, secondsLeft } : null;
}

/** Whoever sees an assignment sees its task: row-level security says both by the same columns. */
export async function taskOf({ held, taskId }: AssignmentShape, { load }: Context): Promise<TaskShape> {
  const task = held ? taskOfHeld(held) : await load.task.load(taskId);
  if (task === null) {
    throw new Error('An assignment is visible and its task is not.');
  }
  return task;
}

export async function taskTypeOf({ held, projectId }: AssignmentShape, { load }: Context) {
  const id = held?.taskTypeId ?? (await load.project.load(projectId))?.taskTypeId;
  return id === undefined ? null : load.taskType.load(id);
}

export function expertOf({ expertId }: AssignmentShape, { load, viewer }: Context) {
  const id = expertId ?? viewer.expertId;
  return id === null ? null : load.expert.load(id);
}

/** "You do not have it" is only true of a skill that there is. */
async function requireSkill(skillId: bigint, load: Loaders): Promise<void> {
  if ((await load.skill.load(skillId)) === null) {
    throw new NotFoundError('skill');
  }
}

const EMPTY_MESSAGES: Readonly<Record<claims.EmptyReason, string>> = {
  NO_OPEN_TASK: 'No task of your skills waits just now.',
  ALL_ANSWERED_BY_YOU: 'You have had every task that waits.',
  RESERVED_FOR_OTHERS: 'What waits is reserved for other experts.',
  PAUSED: 'You are paused, or the skills that were asked for are.',
  QUALITY_BELOW_MINIMUM: 'What waits asks for more quality than was measured of you so far.',
  NO_SKILL: 'You have none of the skills that were asked for.',
  REQUIREMENTS_NOT_MET:
    'What waits asks for further skills, languages or qualifications that you do not have.',
  CONFLICT_OF_INTEREST: 'What waits is of customers whose work you may not see.',
  PROJECT_CAP_REACHED: 'Of what waits you have had as many tasks as one expert may.',
  DAILY_CAP_REACHED:
    'You have taken as many tasks today as your daily cap allows. The day ends at midnight UTC.',
  BUSY: 'Others are claiming at this very moment.',
};

export const emptyMessage = (reason: claims.EmptyReason): string => EMPTY_MESSAGES[reason];

async function counted({ app, viewer }: Context, submitting: () => Promise<Receipt>): Promise<Receipt> {
  const { telemetry } = app;
  try {
    const measure = { seconds: telemetry.submitSeconds, span: 'service submit', classOf: () => 'RECEIPT' };
    const receipt = await measured(measure, submitting);
    telemetry.submits.inc({ outcome: 'RECEIPT' });
    app.completions.note({ tenantId: viewer.tenantId, assignmentId: receipt.assignmentId });
    return receipt;
  } catch (error) {
    telemetry.submits.inc({ outcome: error instanceof DomainError ? error.code : 'ERROR' });
    throw error;
  }
}
