import type { Queryable } from '../platform/rows.js';
import * as sql from './children.sql.js';

export type ChildPage = sql.ChildPage;

export type FaultyRow = sql.FaultyRow;

/** Which children of a project. */
export type Children =
  | { readonly of: 'answers' }
  | { readonly of: 'batches'; readonly newestFirst: boolean }
  | { readonly of: 'tasks'; readonly states: readonly string[] | null; readonly kind: TaskKind };

/** An adjudication is a further answer by a stronger expert, as a task of its own. */
export type TaskKind = 'WORK' | 'ADJUDICATION';

/** Ids of one page of children for each of several projects, by project; a project without any is not in it. */
export async function childIds(
  db: Queryable,
  which: Children,
  page: ChildPage,
): Promise<Map<bigint, bigint[]>> {
  return grouped(await rowsOf(db, which, page), ({ id }) => id);
}

/** One page of faulty rows for each of several batches, by batch; a batch without any is not in it. */
export async function faultyRows(db: Queryable, page: ChildPage): Promise<Map<bigint, FaultyRow[]>> {
  return grouped(await sql.faultyRows(db, page), (row) => row);
}

function grouped<R extends { parentId: bigint }, T>(
  rows: readonly R[],
  take: (row: R) => T,
): Map<bigint, T[]> {
  const byParent = new Map<bigint, T[]>();
  for (const row of rows) {
    const list = byParent.get(row.parentId) ?? [];
    list.push(take(row));
    byParent.set(row.parentId, list);
  }
  return byParent;
}

function rowsOf(db: Queryable, which: Children, page: ChildPage) {
  switch (which.of) {
    case 'batches':
      return sql.batchIds(db, { ...page, newestFirst: which.newestFirst });
    case 'answers':
      return sql.answeredIds(db, page);
    case 'tasks':
      return sql.taskIds(db, { ...page, states: which.states, kind: which.kind });
  }
}
