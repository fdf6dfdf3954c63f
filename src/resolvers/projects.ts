import type { Context } from '../context.js';
import type { Answer, Batch, BatchError, Project, Task } from '../generated/prisma/client.js';
import { type Forecast, projectForecastOf } from '../services/forecast/forecast.js';
import { badInput } from './api-errors.js';
import {
  type ConnectionOf,
  type Cursor,
  forward,
  idCursor,
  type Page,
  type PageArgs,
  page,
} from './paging.js';

// Reads of projects and what is in them. Row-level security keeps a customer to its own.

export const projects = (p: Page, ctx: Context) => ctx.read((tx) => tx.project.findMany(forward(p)));

export const taskTypes = (p: Page, ctx: Context) => ctx.read((tx) => tx.taskType.findMany(forward(p)));

export function batchesOf({ projectId, ...p }: Page & { projectId: bigint }, ctx: Context): Promise<Batch[]> {
  const { where, ...order } = forward(p);
  return ctx.read((tx) => tx.batch.findMany({ ...order, where: { ...where, projectId } }));
}

export async function tasksOf(
  { project, state, ...p }: Page & { project: Project; state: string | null },
  ctx: Context,
): Promise<Task[]> {
  const { where, ...order } = forward(p);
  const inState = state === null ? {} : { state: { in: storedStates(project, state) } };
  return ctx.read((tx) =>
    tx.task.findMany({ ...order, where: { ...where, projectId: project.id, ...inState } }),
  );
}

/** A cancel does not touch a million task rows: an open task of a cancelled project is a cancelled one. */
function storedStates(project: Project, state: string): string[] {
  if (project.state === 'RUNNING') {
    return [state];
  }
  return state === 'OPEN' ? [] : state === 'CANCELLED' ? ['OPEN', 'CANCELLED'] : [state];
}

export function answersOf(
  args: PageArgs,
  { ctx, projectId }: { ctx: Context; projectId: bigint },
): Promise<ConnectionOf<Answer>> {
  const cursor = idCursor<Answer>(ctx, 'Assignment', ({ assignmentId }) => assignmentId);
  return page(args, cursor, ({ take, afterId }) =>
    ctx.read((tx) =>
      tx.answer.findMany({
        take,
        orderBy: { assignmentId: 'asc' },
        where: { projectId, ...(afterId === null ? {} : { assignmentId: { gt: afterId } }) },
      }),
    ),
  );
}

export function errorsOfBatch(
  args: PageArgs,
  { ctx, batchId }: { ctx: Context; batchId: bigint },
): Promise<ConnectionOf<BatchError>> {
  return page(args, lineCursor, ({ take, afterId }) =>
    ctx.read((tx) =>
      tx.batchError.findMany({
        take,
        orderBy: { line: 'asc' },
        where: { batchId, ...(afterId === null ? {} : { line: { gt: afterId } }) },
      }),
    ),
  );
}

/** The customer's own line numbers are no secret: they are the cursor as they are. */
const lineCursor: Cursor<BatchError> = {
  encode: ({ line }) => line.toString(),
  decode(text) {
    if (!/^\d{1,18}$/.test(text)) {
      throw badInput('`after` is not a cursor of this list.');
    }
    return BigInt(text);
  },
};

/** What has ended is counted when it is asked for, not kept: no submit may write a batch. */
export async function stateOfBatch({ id, state, projectId }: Batch, { load }: Context): Promise<string> {
  if (state !== 'OPEN') {
    return state;
  }
  const [progress, project] = await Promise.all([load.batchProgress.load(id), load.project.load(projectId)]);
  if ((progress?.tasksOpen ?? 0) === 0) {
    return 'COMPLETED';
  }
  return project?.state === 'CANCELLED' ? 'CANCELLED' : 'OPEN';
}

export async function spendOf({ id, currency }: Project, { load }: Context) {
  return { minor: (await load.projectSpend.load(id))?.amountMinor ?? 0n, currency };
}

export const forecastOfProject = (projectId: bigint, ctx: Context): Promise<Forecast | null> =>
  ctx.read((tx) => projectForecastOf(tx, projectId));
