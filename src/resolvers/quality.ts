import { actsAs, type Context } from '../context.js';
import type { EscalateTaskInput } from '../schema/quality/escalation.js';
import type { SetRedundancyInput } from '../schema/quality/redundancy.js';
import { InputInvalidError } from '../services/access/errors.js';
import { withService } from '../services/platform/database.js';
import { type RedundancyChange, setRedundancy as set } from '../services/projects/redundancy.js';
import * as escalation from '../services/quality/adjudication/escalate.js';
import { noteReader, noteShown } from '../services/quality/adjudication/readers.js';
import * as agreement from '../services/quality/reads/agreement.js';
import * as experts from '../services/quality/reads/expert-quality.js';
import type { MethodWhich } from '../services/quality/reads/project-quality.js';
import * as projects from '../services/quality/reads/project-quality.js';
import { badInput } from './api-errors.js';
import { type Cursor, type PageArgs, page } from './paging.js';

export async function setRedundancy(
  input: typeof SetRedundancyInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ projectId: bigint }> {
  const projectId = input.projectId.id;
  const change = {
    projectId,
    policy: policyOf(input),
    isCritical: input.isCritical ?? null,
    firstGoldMax: input.firstGoldMax ?? null,
    auditShare: input.auditShare ?? null,
  };
  await set(app.db, viewer, change);
  return { projectId };
}

function policyOf({
  fixed,
  agree,
  posterior,
  plain,
}: typeof SetRedundancyInput.$inferInput): RedundancyChange['policy'] {
  const given: RedundancyChange['policy'][] = [
    ...(fixed ? [{ kind: 'FIXED', ...fixed } as const] : []),
    ...(agree ? [{ kind: 'AGREE', ...agree } as const] : []),
    ...(plain ? [{ kind: 'PLAIN', ...plain } as const] : []),
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
  if (given.length > 1) {
    throw new InputInvalidError([
      {
        path: '/policy',
        message: 'Give one of fixed, agree, posterior and plain, or none for the rule as it was.',
      },
    ]);
  }
  return given[0] ?? null;
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

/** Of oneself, or for staff of anybody whom they may see; null where there is nobody. @throws BAD_USER_INPUT where nobody is said */
export async function expertQuality(
  asked: bigint | null,
  { viewer, load }: Context,
): Promise<{ expertId: bigint } | null> {
  const expertId = asked ?? viewer.expertId;
  if (expertId === null) {
    throw badInput('Say whose quality: you act as no expert, so there is none of your own.');
  }
  return (await load.expert.load(expertId)) === null ? null : { expertId };
}

export const scoresOf = (expertId: bigint, { read }: Context) => read((tx) => experts.scoresOf(tx, expertId));

export const scoreHistory = (expertId: bigint, args: PageArgs, ctx: Context) =>
  page(args, scoreCursor(ctx), ({ take, afterId: after }) =>
    ctx.read((tx) => experts.scoreHistory(tx, expertId, { take, after })),
  );

const DAY_MS = 86_400_000;

/** A day, of when on it, and whose: ids as they are everywhere outside. */
function scoreCursor({ app: { ids } }: Context): Cursor<experts.SkillScore, experts.ScoreKey> {
  return {
    encode: ({ day, at, skillId, taskTypeId }) => {
      const moment = `${day.getTime() / DAY_MS}-${at.getTime() - day.getTime()}`;
      return [moment, ids.encode('Skill', skillId), ids.encode('TaskType', taskTypeId)].join('.');
    },
    decode(text) {
      const [, days, offsetMs, skill = '', type = ''] =
        /^(\d{1,6})-(\d{1,8})\.([^.]+)\.([^.]+)$/.exec(text) ?? [];
      const [skillId, taskTypeId] = [ids.decode(skill), ids.decode(type)];
      if (skillId?.type !== 'Skill' || taskTypeId?.type !== 'TaskType') {
        throw badInput('`after` is not a cursor of this list.');
      }
      const day = new Date(Number(days) * DAY_MS);
      const at = new Date(day.getTime() + Number(offsetMs));
      return { day, at, skillId: skillId.id, taskTypeId: taskTypeId.id };
    },
  };
}

export const calibrationOf = (expertId: bigint, { read }: Context) =>
  read((tx) => experts.calibrationOf(tx, expertId));

export const standingsOf = (expertId: bigint, { read }: Context) =>
  read((tx) => experts.standingsOf(tx, expertId));

export const noticesOf = (expertId: bigint, limit: number, { read }: Context) =>
  read((tx) => experts.noticesOf(tx, expertId, limit));

export const humanPausesOf = (expertId: bigint, limit: number, { read }: Context) =>
  read((tx) => experts.humanPausesOf(tx, expertId, limit));

export const skillsBelowBars = (expertId: bigint, { read }: Context) =>
  read((tx) => experts.skillsBelowBars(tx, expertId));

/** Null where the viewer sees no such project. */
export async function projectQuality(projectId: bigint, { app, viewer, read, load }: Context) {
  if ((await load.project.load(projectId)) === null) {
    return null;
  }
  if (actsAs(viewer, ['ANALYST'])) {
    return read(async (tx) =>
      projects.projectQuality(tx, projectId, await projects.resultsNow(tx, projectId)),
    );
  }
  const who = { tenantId: viewer.tenantId, actorId: viewer.identityId };
  const now = await withService(app.db, who, (tx) => projects.resultsNow(tx, projectId));
  return read((tx) => projects.projectQuality(tx, projectId, now));
}

export const judgingMethods = (which: MethodWhich, { read }: Context) =>
  read((tx) => projects.judgingMethods(tx, which));

/** Null where the viewer sees no such project. */
export async function pairAgreement(projectId: bigint, { read, load }: Context) {
  const project = await load.project.load(projectId);
  return project === null ? null : read((tx) => agreement.pairAgreement(tx, projectId));
}

/** Null where the viewer sees no such skill. */
export async function skillAgreement(skillId: bigint, { read, load }: Context) {
  const skill = await load.skill.load(skillId);
  return skill === null ? null : read((tx) => agreement.skillAgreement(tx, skillId));
}

/** By the records of those who answered, which a customer does not see: our own statement, after the task was seen. An analyst sees them. */
export async function taskConsensus(taskId: bigint, { app, viewer, load, read }: Context) {
  if ((await load.task.load(taskId)) === null) {
    return null;
  }
  if (actsAs(viewer, ['ANALYST'])) {
    await noteReader(app.db, viewer, { taskIds: [taskId] });
    return read((tx) => projects.taskConsensus(tx, taskId));
  }
  const who = { tenantId: viewer.tenantId, actorId: viewer.identityId };
  return withService(app.db, who, async (tx) => {
    await noteShown(tx, who, { taskIds: [taskId] });
    return projects.taskConsensus(tx, taskId);
  });
}

/** Experts see the figures that they were shown last, staff as they are; dispatchers those that are in effect. */
export async function qualityOf(
  { expertId, skillId, qualityMean, qualityLower }: Figures,
  { load, viewer }: Context,
): Promise<{ mean: number; lower: number }> {
  if (viewer.role === 'DISPATCHER') {
    return { mean: qualityMean, lower: qualityLower };
  }
  const shown = await load.shownQualities.load(expertId);
  return shown.find((one) => one.skillId === skillId) ?? { mean: 0.5, lower: 0 };
}

interface Figures {
  readonly expertId: bigint;
  readonly skillId: bigint;
  readonly qualityMean: number;
  readonly qualityLower: number;
}
