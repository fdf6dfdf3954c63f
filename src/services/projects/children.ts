import type { Queryable } from '../platform/rows.js';
import * as sql from './children.sql.js';

export type ChildPage = sql.ChildPage;

/** Which children of a project. */
export type Children =
  | { readonly of: 'batches' | 'answers' }
  | { readonly of: 'tasks'; readonly states: readonly string[] | null };

/** Ids of one page of children for each of several projects, by project; a project without any is not in it. */
export async function childIds(
  db: Queryable,
  which: Children,
  page: ChildPage,
): Promise<Map<bigint, bigint[]>> {
  const byParent = new Map<bigint, bigint[]>();
  for (const { parentId, id } of await rowsOf(db, which, page)) {
    const list = byParent.get(parentId) ?? [];
    list.push(id);
    byParent.set(parentId, list);
  }
  return byParent;
}

function rowsOf(db: Queryable, which: Children, page: ChildPage) {
  switch (which.of) {
    case 'batches':
      return sql.batchIds(db, page);
    case 'answers':
      return sql.answeredIds(db, page);
    case 'tasks':
      return sql.taskIds(db, { ...page, states: which.states });
  }
}
