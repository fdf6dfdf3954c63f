import type DataLoader from 'dataloader';
import type { Context } from '../context.js';
import type { Answer, Batch, Project, Task } from '../generated/prisma/client.js';
import type { BudgetAsSet } from '../services/projects/budget.js';
import type { Children, FaultyRow, TaskKind } from '../services/projects/children.js';
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

/** One page of what is in a project: ids for all siblings at once, then the rows of all of them at once. */
async function pageIn<T>(
  { take, afterId }: Page,
  { projectId, which }: { projectId: bigint; which: Children },
  { ctx, rows }: { ctx: Context; rows: DataLoader<bigint, T | null> },
): Promise<T[]> {
  const ids = await ctx.load.children.load({ projectId, which, take, afterId });
  const found = await Promise.all(ids.map((id) => rows.load(id)));
  return found.filter((row) => row !== null);
}

export const batchesOf = (
  { projectId, newestFirst, ...p }: Page & { projectId: bigint; newestFirst: boolean },
  ctx: Context,
): Promise<Batch[]> =>
  pageIn(p, { projectId, which: { of: 'batches', newestFirst } }, { ctx, rows: ctx.load.batch });

export function tasksOf(
  { project, state, kind, ...p }: Page & { project: Project; state: string | null; kind: TaskKind },
  ctx: Context,
): Promise<Task[]> {
  const states = state === null ? null : storedStates(project, state);
  const which = { of: 'tasks', states, kind } as const;
  return pageIn(p, { projectId: project.id, which }, { ctx, rows: ctx.load.task });
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
  return page(args, cursor, (p) =>
    pageIn(p, { projectId, which: { of: 'answers' } }, { ctx, rows: ctx.load.answer }),
  );
}

export function errorsOfBatch(
  args: PageArgs,
  { ctx, batchId }: { ctx: Context; batchId: bigint },
): Promise<ConnectionOf<FaultyRow>> {
  return page(args, lineCursor, ({ take, afterId }) => ctx.load.batchErrors.load({ batchId, take, afterId }));
}

/** The customer's own line numbers are no secret: they are the cursor as they are. */
const lineCursor: Cursor<FaultyRow> = {
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
  if ((progress?.tasksOpen ?? 0) + (progress?.adjudicationsOpen ?? 0) > 0) {
    return 'OPEN';
  }
  return project?.state === 'CANCELLED' && (progress?.tasksCancelled ?? 0) > 0 ? 'CANCELLED' : 'COMPLETED';
}

export async function spendOf({ id, currency }: Project, { load }: Context) {
  return { minor: (await load.projectSpend.load(id))?.amountMinor ?? 0n, currency };
}

/** What is reserved of a project that is cancelled is reserved no longer. */
export async function budgetOf(project: Project, { load }: Context) {
  const [budget, spend] = await Promise.all([
    load.projectBudget.load(project.id),
    load.projectSpend.load(project.id),
  ]);
  return budget === null ? null : budgetShape(project, { ...budget, spentMinor: spend?.amountMinor ?? 0n });
}

/** The budget as a change made it, whatever has come since. */
export async function budgetAsSet(
  { projectId, budget }: { projectId: bigint; budget: BudgetAsSet | null },
  { load }: Context,
) {
  const project = await load.project.load(projectId);
  return project === null || budget === null ? null : budgetShape(project, budget);
}

function budgetShape({ currency, state }: Project, budget: BudgetAsSet) {
  const { spentMinor: spent, committedMinor } = budget;
  // Answers that came between the two reads are spent, and were reserved.
  const committed = state === 'RUNNING' && committedMinor > spent ? committedMinor : spent;
  const money = (minor: bigint) => ({ minor, currency });
  return {
    limit: money(budget.budgetMinor),
    spent: money(spent),
    reserved: money(committed - spent),
    available: money(budget.budgetMinor - committed),
    stopped: budget.stopped,
  };
}
