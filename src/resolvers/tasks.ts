import type { Context } from '../context.js';
import type { Task } from '../generated/prisma/client.js';
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
