import type { Database } from '../platform/database.js';
import type { Caller } from './routing.sql.js';

/** Assignments remembered at once; the oldest goes first. Far above what the experts of one node hold together. */
const REMEMBERED_MAX = 20_000;
const remembered = new WeakMap<Database, Map<string, bigint>>();

/**
 * Remembers what form of answer an assignment takes that this node has just given out, so that its submit need not ask
 * the database first. It never changes: an assignment is of one project for life, a project of one version of a type.
 */
export function rememberType(
  db: Database,
  caller: Caller,
  held: { readonly id: bigint; readonly taskTypeId: bigint },
): void {
  const types = remembered.get(db) ?? new Map<string, bigint>();
  remembered.set(db, types);
  types.set(keyOf(caller, held.id), held.taskTypeId);
  const [oldest] = types.keys();
  if (types.size > REMEMBERED_MAX && oldest !== undefined) {
    types.delete(oldest);
  }
}

/** The task type of the caller's own assignment where this node gave it out; null otherwise, which says nothing. */
export function recallType(db: Database, caller: Caller, assignmentId: bigint): bigint | null {
  return remembered.get(db)?.get(keyOf(caller, assignmentId)) ?? null;
}

/** With the expert in it, so that nobody learns anything about another's assignment. */
function keyOf({ tenantId, expertId }: Caller, assignmentId: bigint): string {
  return `${tenantId}/${expertId}/${assignmentId}`;
}
