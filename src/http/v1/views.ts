import type { Context } from '../../context.js';
import type { Batch, Project } from '../../generated/prisma/client.js';
import { stateOfBatch } from '../../resolvers/projects.js';
import { explanationOf, reasonFor } from '../../resolvers/routing-reason.js';
import type { LeaseShape } from '../../resolvers/shapes.js';
import { NO_PROGRESS, type Progress } from '../../services/projects/progress.js';
import type { HeldAssignment } from '../../services/routing/held.js';
import type { Receipt } from '../../services/routing/submit.js';

// What the plain calls answer: the same words as in GraphQL.

const money = (minor: bigint, currency: string) => ({ minorUnits: minor.toString(), currency });

export const leaseView = ({ epoch, leaseUntil, leaseSeconds, secondsLeft }: LeaseShape) => ({
  epoch,
  expiresAt: leaseUntil.toISOString(),
  secondsLeft,
  leaseSeconds,
});

/** A task that the caller holds. */
export function heldView({ app, viewer }: Context, held: HeldAssignment) {
  const { ids, publicUrl } = app;
  const reason = reasonFor(viewer, held.routingReason);
  return {
    assignmentId: ids.encode('Assignment', held.id),
    task: {
      id: ids.encode('Task', held.taskId),
      externalId: held.externalId,
      contentType: held.contentType,
      payloadBytes: held.payloadBytes,
    },
    taskTypeId: ids.encode('TaskType', held.taskTypeId),
    payloadUrl: `${publicUrl}/v1/payloads/${held.payloadToken}`,
    lease: leaseView(held),
    price: money(held.priceMinor, held.currency),
    routing: reason && { reason, explanation: explanationOf({ reason }) },
    draft: held.draft && {
      body: JSON.parse(held.draft.body) as unknown,
      savedAt: held.draft.savedAt.toISOString(),
    },
  };
}

export const receiptView = ({ app }: Context, receipt: Receipt) => ({
  assignmentId: app.ids.encode('Assignment', receipt.assignmentId),
  digest: receipt.digest,
  submittedAt: receipt.submittedAt.toISOString(),
  price: money(receipt.priceMinor, receipt.currency),
});

const progressView = ({ id: _id, ...counts }: Progress) => counts;

/** A project with its progress. */
export async function projectView({ app, load }: Context, project: Project) {
  const progress = await load.projectProgress.load(project.id);
  return {
    id: app.ids.encode('Project', project.id),
    name: project.name,
    state: project.state,
    cancelPolicy: project.cancelPolicy,
    customerId: app.ids.encode('Customer', project.customerId),
    taskTypeId: app.ids.encode('TaskType', project.taskTypeId),
    skillId: app.ids.encode('Skill', project.skillId),
    price: money(project.priceMinor, project.currency),
    redundancy: project.redundancy,
    minQuality: project.minQuality,
    furtherSkills: {
      allOf: project.requiredAll.map((id) => app.ids.encode('Skill', id)),
      anyOf: project.requiredAny.map((id) => app.ids.encode('Skill', id)),
      minQuality: project.requiredMin,
    },
    languages: project.languages,
    tags: project.tags,
    maxPerExpert: project.maxPerExpert,
    weight: project.weight,
    leaseSeconds: project.leaseSeconds,
    deadline: project.deadline?.toISOString() ?? null,
    createdAt: project.createdAt.toISOString(),
    progress: progress === null ? NO_PROGRESS : progressView(progress),
  };
}

/** A batch with its progress. */
export async function batchView(ctx: Context, batch: Batch) {
  const { app, load } = ctx;
  const progress = await load.batchProgress.load(batch.id);
  return {
    id: app.ids.encode('Batch', batch.id),
    projectId: app.ids.encode('Project', batch.projectId),
    name: batch.name,
    state: await stateOfBatch(batch, ctx),
    failure: batch.failure,
    deadline: batch.deadline?.toISOString() ?? null,
    rowsDone: batch.rowsDone.toString(),
    taskCount: batch.taskCount.toString(),
    errorCount: batch.errorCount.toString(),
    createdAt: batch.createdAt.toISOString(),
    storedAt: batch.storedAt?.toISOString() ?? null,
    progress: progress === null ? NO_PROGRESS : progressView(progress),
  };
}
