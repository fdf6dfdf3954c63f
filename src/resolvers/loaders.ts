import DataLoader from 'dataloader';
import type { Answer, Job } from '../generated/prisma/client.js';
import type { Seen } from '../services/dispatch/ports.js';
import { latestMoves, latestOffers, proofsOf } from '../services/dispatch/reads.js';
import { forecastsOf } from '../services/forecast/forecast.js';
import { burnUpsOf } from '../services/forecast/history/burn-up.js';
import { shownPolicies } from '../services/forecast/policy.js';
import { projectForecastsOf } from '../services/forecast/together.js';
import { budgetsOf, stoppedTasks } from '../services/payouts/budgets.js';
import type { Tx } from '../services/platform/database.js';
import { type Children, childIds, faultyRows } from '../services/projects/children.js';
import * as progress from '../services/projects/progress.js';
import { shownQualities } from '../services/quality/reads/expert-quality.js';

/** Runs reads in one transaction that sees what the viewer may see. */
export type Read = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Keeps that the viewer is about to be shown the answers of these tasks. */
export type Note = (taskIds: readonly bigint[]) => Promise<void>;

/** Where workers were last seen. */
export type See = (expertIds: readonly bigint[]) => Promise<readonly Seen[]>;

/** Jobs, as far as the viewer may see them. */
export type SeeJobs = (ids: readonly bigint[]) => Promise<readonly Job[]>;

/** At most so many ids in one statement. */
const BATCH_MAX = 500;

type Fetch<V> = (tx: Tx, ids: readonly bigint[]) => Promise<readonly V[]>;

/** Collects ids of one tick into one read; what the scope does not show loads as null. */
const loader = <V>(read: Read, fetch: Fetch<V>, idOf: (row: V) => bigint): DataLoader<bigint, V | null> =>
  byIdOf((ids) => read((tx) => fetch(tx, ids)), idOf);

function byIdOf<V>(
  fetch: (ids: readonly bigint[]) => Promise<readonly V[]>,
  idOf: (row: V) => bigint,
): DataLoader<bigint, V | null> {
  return new DataLoader<bigint, V | null>(
    async (ids) => {
      const rows = await fetch(ids);
      const byId = new Map(rows.map((row) => [idOf(row), row]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { maxBatchSize: BATCH_MAX },
  );
}

/** Answers as they are shown: whoever is shown one of another is kept as its reader first (DESIGN 8.14). */
function answersNoted(read: Read, note: Note): DataLoader<bigint, Answer | null> {
  return new DataLoader<bigint, Answer | null>(
    async (ids) => {
      const rows = await read((tx) => tx.answer.findMany(inAssignments(ids)));
      if (rows.length > 0) {
        await note(rows.map(({ taskId }) => taskId));
      }
      const byId = new Map(rows.map((row) => [row.assignmentId, row]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { maxBatchSize: BATCH_MAX },
  );
}

const byId = (row: { id: bigint }) => row.id;
const byAssignment = (row: { assignmentId: bigint }) => row.assignmentId;
const bySkill = (row: { skillId: bigint }) => row.skillId;
const inSkills = (ids: readonly bigint[]) => ({ where: { skillId: { in: [...ids] } } });
const inIds = (ids: readonly bigint[]) => ({ where: { id: { in: [...ids] } } });
const inAssignments = (ids: readonly bigint[]) => ({ where: { assignmentId: { in: [...ids] } } });

/** The batched reads of one request. Row-level security decides what each can show. */
export function createLoaders(read: Read, { note, seen, jobs }: { note: Note; seen: See; jobs: SeeJobs }) {
  return {
    customer: loader(read, (tx, ids) => tx.customer.findMany(inIds(ids)), byId),
    identity: loader(read, (tx, ids) => tx.identity.findMany(inIds(ids)), byId),
    expert: loader(read, (tx, ids) => tx.expert.findMany(inIds(ids)), byId),
    skill: loader(read, (tx, ids) => tx.skill.findMany(inIds(ids)), byId),
    taskType: loader(read, (tx, ids) => tx.taskType.findMany(inIds(ids)), byId),
    project: loader(read, (tx, ids) => tx.project.findMany(inIds(ids)), byId),
    batch: loader(read, (tx, ids) => tx.batch.findMany(inIds(ids)), byId),
    task: loader(read, (tx, ids) => tx.task.findMany(inIds(ids)), byId),
    assignment: loader(read, (tx, ids) => tx.assignment.findMany(inIds(ids)), byId),
    accessLogEntry: loader(read, (tx, ids) => tx.accessLog.findMany(inIds(ids)), byId),
    payout: loader(read, (tx, ids) => tx.payout.findMany(inIds(ids)), byId),
    job: byIdOf(jobs, byId),
    offer: loader(read, (tx, ids) => tx.offer.findMany(inIds(ids)), byId),
    offersOfJob: new DataLoader((ids: readonly bigint[]) => latestOfJobs(read, ids, latestOffers)),
    lastSeen: new DataLoader((ids: readonly bigint[]) => seenExperts(seen, ids)),
    proofsOfJob: new DataLoader((ids: readonly bigint[]) => latestOfJobs(read, ids, proofsOf)),
    movesOfJob: new DataLoader((ids: readonly bigint[]) => latestOfJobs(read, ids, latestMoves)),
    answer: answersNoted(read, note),
    draft: loader(read, (tx, ids) => tx.draft.findMany(inAssignments(ids)), byAssignment),
    projectProgress: loader(read, progress.progressOfProjects, byId),
    projectBudget: loader(read, budgetsOf, byId),
    budgetStop: loader(read, stoppedTasks, byId),
    projectSpend: loader(read, progress.spendOfProjects, byId),
    riskPolicy: loader(read, shownPolicies, byId),
    forecast: new DataLoader((ids: readonly bigint[]) => forecastsOfBatches(read, ids)),
    burnUp: new DataLoader((ids: readonly bigint[]) => burnUpsOfBatches(read, ids)),
    projectForecast: new DataLoader((ids: readonly bigint[]) => forecastsOfProjects(read, ids)),
    batchProgress: loader(read, progress.progressOfBatches, byId),
    adjudication: loader(read, progress.adjudicationsOfTasks, byId),
    adjudicated: loader(read, progress.adjudicatedByTasks, byId),
    adjudicationWait: loader(read, progress.waitsOfProjects, byId),
    taskFlags: loader(read, progress.flagsOfTasks, byId),
    children: new DataLoader((asked: readonly AskedPage[]) => childrenOf(read, asked), { cache: false }),
    batchErrors: new DataLoader((asked: readonly AskedErrors[]) => errorsOf(read, asked), { cache: false }),
    expertSkills: new DataLoader((ids: readonly bigint[]) => skillsOfExperts(read, ids)),
    shownQualities: new DataLoader((ids: readonly bigint[]) => qualitiesOfExperts(read, ids)),
    expertConflicts: new DataLoader((ids: readonly bigint[]) => conflictsOfExperts(read, ids)),
    expertPauses: new DataLoader((ids: readonly bigint[]) => pausesOfExperts(read, ids)),
    skillPool: loader(read, (tx, ids) => tx.skillPool.findMany(inSkills(ids)), bySkill),
    now: once(async () => (await read(progress.databaseNow)).now),
  };
}

async function latestOfJobs<T extends { readonly jobId: bigint }>(
  read: Read,
  ids: readonly bigint[],
  fetch: Fetch<T>,
) {
  const rows = await read((tx) => fetch(tx, ids));
  return ids.map((id) => rows.filter(({ jobId }) => jobId === id));
}

async function seenExperts(seen: See, ids: readonly bigint[]): Promise<(Seen | null)[]> {
  const found = new Map((await seen(ids)).map((one) => [one.expertId, one]));
  return ids.map((id) => found.get(id) ?? null);
}

export type Loaders = ReturnType<typeof createLoaders>;

async function qualitiesOfExperts(read: Read, ids: readonly bigint[]) {
  const all = await read((tx) => shownQualities(tx, ids));
  return ids.map((id) => all.filter(({ expertId }) => expertId === id));
}

async function forecastsOfBatches(read: Read, ids: readonly bigint[]) {
  const found = await read((tx) => forecastsOf(tx, ids));
  return ids.map((id) => found.get(id) ?? null);
}

async function burnUpsOfBatches(read: Read, ids: readonly bigint[]) {
  const points = await read((tx) => burnUpsOf(tx, ids));
  return ids.map((id) => points.filter(({ batchId }) => batchId === id));
}

/** One page of the children of one project. */
export interface AskedPage {
  readonly projectId: bigint;
  readonly which: Children;
  readonly take: number;
  readonly afterId: bigint | null;
}

/** One page of the faulty rows of one batch. */
export interface AskedErrors {
  readonly batchId: bigint;
  readonly take: number;
  readonly afterId: bigint | null;
}

function childrenOf(read: Read, asked: readonly AskedPage[]): Promise<bigint[][]> {
  const pages = asked.map(({ projectId, ...page }) => ({ parentId: projectId, ...page }));
  return pagesOf(pages, ({ which, ...page }, parentIds) =>
    read((tx) => childIds(tx, which, { ...page, parentIds })),
  );
}

function errorsOf(read: Read, asked: readonly AskedErrors[]) {
  const pages = asked.map(({ batchId, ...page }) => ({ parentId: batchId, ...page }));
  return pagesOf(pages, (page, parentIds) => read((tx) => faultyRows(tx, { ...page, parentIds })));
}

interface Paged {
  readonly parentId: bigint;
  readonly take: number;
  readonly afterId: bigint | null;
}

/** Siblings of a list ask for the same page of their own: those are read in one statement. */
async function pagesOf<P extends Paged, T>(
  asked: readonly P[],
  fetch: (page: Omit<P, 'parentId'>, parentIds: bigint[]) => Promise<Map<bigint, T[]>>,
): Promise<T[][]> {
  const groups = new Map<string, { page: Omit<P, 'parentId'>; parentIds: bigint[] }>();
  const keys = asked.map(({ parentId, ...page }) => {
    const key = JSON.stringify({ ...page, afterId: String(page.afterId) });
    const group = groups.get(key) ?? { page, parentIds: [] };
    group.parentIds.push(parentId);
    groups.set(key, group);
    return key;
  });
  const found = new Map<string, Map<bigint, T[]>>();
  for (const [key, { page, parentIds }] of groups) {
    found.set(key, await fetch(page, parentIds));
  }
  return asked.map(({ parentId }, n) => found.get(keys[n] ?? '')?.get(parentId) ?? []);
}

async function forecastsOfProjects(read: Read, ids: readonly bigint[]) {
  const found = await read((tx) => projectForecastsOf(tx, ids));
  return ids.map((id) => found.get(id) ?? null);
}

async function skillsOfExperts(read: Read, ids: readonly bigint[]) {
  const rows = await read((tx) =>
    tx.expertSkill.findMany({ where: { expertId: { in: [...ids] } }, orderBy: { skillId: 'asc' } }),
  );
  return ids.map((id) => rows.filter((row) => row.expertId === id));
}

/** Of one expert, at most. */
const LISTED_MAX = 100;

async function conflictsOfExperts(read: Read, ids: readonly bigint[]) {
  const rows = await read((tx) =>
    tx.conflict.findMany({ where: { expertId: { in: [...ids] } }, orderBy: { customerId: 'asc' } }),
  );
  return ids.map((id) => rows.filter((row) => row.expertId === id).slice(0, LISTED_MAX));
}

async function pausesOfExperts(read: Read, ids: readonly bigint[]) {
  const where = { expertId: { in: [...ids] }, resumedAt: null };
  const rows = await read((tx) => tx.pause.findMany({ where, orderBy: { id: 'asc' } }));
  return ids.map((id) => rows.filter((row) => row.expertId === id).slice(0, LISTED_MAX));
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= work();
    return started;
  };
}
