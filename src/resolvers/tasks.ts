import type { Context } from '../context.js';
import type { Task } from '../generated/prisma/client.js';
import type { TaskKind } from '../services/projects/children.js';
import type { AdjudicationWait } from '../services/projects/progress.js';
import type { TaskShape } from './shapes.js';

/** The whole row behind what everybody may see of a task; at hand where a list has read it already. */
export async function fullTask(task: TaskShape, { load }: Context): Promise<Task | null> {
  return 'wanted' in task ? (task as Task) : load.task.load(task.id);
}

/** An open task of a cancelled project is a cancelled one: a cancel does not touch a million rows. */
export async function stateOfTask(task: TaskShape, ctx: Context): Promise<string | null> {
  const full = await fullTask(task, ctx);
  if (full?.state !== 'OPEN') {
    return full?.state ?? null;
  }
  return (await ctx.load.project.load(full.projectId))?.state === 'CANCELLED' ? 'CANCELLED' : 'OPEN';
}

/** Why an open adjudication waits; null of any other task, and where somebody may take it. */
export async function waitOfTask(task: TaskShape, ctx: Context): Promise<AdjudicationWait | null> {
  const full = await fullTask(task, ctx);
  return full?.kind === 'ADJUDICATION' && full.state === 'OPEN'
    ? ctx.load.adjudicationWait.load(full.projectId)
    : null;
}

/** Whether it would want more, and its project's budget does not reach. */
export const waitsForBudget = async ({ id }: TaskShape, { load }: Context): Promise<boolean> =>
  (await load.budgetStop.load(id)) !== null;

/** Null of gold, which is of no customer. */
export async function kindOfTask(task: TaskShape, ctx: Context): Promise<TaskKind | null> {
  const kind = (await fullTask(task, ctx))?.kind;
  return kind === 'WORK' || kind === 'ADJUDICATION' ? kind : null;
}

export async function adjudicationOf(taskId: bigint, { load }: Context): Promise<Task | null> {
  const related = await load.adjudication.load(taskId);
  return related === null ? null : load.task.load(related.taskId);
}

export async function adjudicatedBy(taskId: bigint, { load }: Context): Promise<Task | null> {
  const related = await load.adjudicated.load(taskId);
  return related === null ? null : load.task.load(related.taskId);
}
