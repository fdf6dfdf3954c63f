import DataLoader from 'dataloader';
import { forecastsOf } from '../services/forecast/forecast.js';
import type { Tx } from '../services/platform/database.js';
import { type Children, childIds } from '../services/projects/children.js';
import * as progress from '../services/projects/progress.js';

/** Runs reads in one transaction that sees what the viewer may see. */
export type Read = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** At most so many ids in one statement. */
const BATCH_MAX = 500;

type Fetch<V> = (tx: Tx, ids: readonly bigint[]) => Promise<readonly V[]>;

/** Collects ids of one tick into one read; what the scope does not show loads as null. */
function loader<V>(read: Read, fetch: Fetch<V>, idOf: (row: V) => bigint): DataLoader<bigint, V | null> {
  return new DataLoader<bigint, V | null>(
    async (ids) => {
      const rows = await read((tx) => fetch(tx, ids));
      const byId = new Map(rows.map((row) => [idOf(row), row]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { maxBatchSize: BATCH_MAX },
  );
}

const byId = (row: { id: bigint }) => row.id;
const byAssignment = (row: { assignmentId: bigint }) => row.assignmentId;
const inIds = (ids: readonly bigint[]) => ({ where: { id: { in: [...ids] } } });
const inAssignments = (ids: readonly bigint[]) => ({ where: { assignmentId: { in: [...ids] } } });

/** The batched reads of one request. Row-level security decides what each can show. */
export function createLoaders(read: Read) {
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
    answer: loader(read, (tx, ids) => tx.answer.findMany(inAssignments(ids)), byAssignment),
    draft: loader(read, (tx, ids) => tx.draft.findMany(inAssignments(ids)), byAssignment),
    projectProgress: loader(read, progress.progressOfProjects, byId),
    projectSpend: loader(read, progress.spendOfProjects, byId),
    forecast: new DataLoader((ids: readonly bigint[]) => forecastsOfBatches(read, ids)),
    batchProgress: loader(read, progress.progressOfBatches, byId),
    taskFlags: loader(read, progress.flagsOfTasks, byId),
    children: new DataLoader((asked: readonly AskedPage[]) => childrenOf(read, asked), { cache: false }),
    expertSkills: new DataLoader((ids: readonly bigint[]) => skillsOfExperts(read, ids)),
    expertConflicts: new DataLoader((ids: readonly bigint[]) => conflictsOfExperts(read, ids)),
    expertPauses: new DataLoader((ids: readonly bigint[]) => pausesOfExperts(read, ids)),
    now: once(async () => (await read(progress.databaseNow)).now),
  };
}

export type Loaders = ReturnType<typeof createLoaders>;

async function forecastsOfBatches(read: Read, ids: readonly bigint[]) {
  const found = await read((tx) => forecastsOf(tx, ids));
  return ids.map((id) => found.get(id) ?? null);
}

/** One page of the children of one project. */
export interface AskedPage {
  readonly projectId: bigint;
  readonly which: Children;
  readonly take: number;
  readonly afterId: bigint | null;
}

/** Siblings of a list ask for the same page of their own: those are read in one statement. */
async function childrenOf(read: Read, asked: readonly AskedPage[]): Promise<bigint[][]> {
  const groups = new Map<string, { page: Omit<AskedPage, 'projectId'>; parentIds: bigint[] }>();
  const keyOf = ({ which, take, afterId }: AskedPage) => JSON.stringify([which, take, String(afterId)]);
  for (const { projectId, ...page } of asked) {
    const key = keyOf({ projectId, ...page });
    const group = groups.get(key) ?? { page, parentIds: [] };
    group.parentIds.push(projectId);
    groups.set(key, group);
  }
  const found = new Map<string, Map<bigint, bigint[]>>();
  for (const [key, { page, parentIds }] of groups) {
    found.set(key, await read((tx) => childIds(tx, page.which, { ...page, parentIds })));
  }
  return asked.map((one) => found.get(keyOf(one))?.get(one.projectId) ?? []);
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
