import type { IdCodec } from '../platform/ids.js';
import type { Queryable } from '../platform/rows.js';
import type { StoringBatch } from './batches.sql.js';
import * as sql from './batches.sql.js';
import { type IntakeTask, RowFault } from './intake-row.js';

/** Gives the experts that rows name, as they are known to the database. */
export interface ExpertBook {
  /** Throws RowFault for the first name that is no expert of the tenant. */
  idsOf(names: readonly string[] | null): readonly bigint[] | null;
}

/** Who looks names up, and for which batch. */
export interface ExpertLookup {
  readonly ids: IdCodec;
  readonly batch: StoringBatch;
}

/**
 * Looks up every expert that a chunk of rows names, in one statement. Opaque ids are understood always; handles only
 * in projects that were imported or made by tests: elsewhere a customer could find out by trying which people there
 * are.
 */
export async function readExpertBook(
  db: Queryable,
  tasks: readonly IntakeTask[],
  { ids, batch }: ExpertLookup,
): Promise<ExpertBook> {
  const names = [...new Set(tasks.flatMap(({ allow, block }) => [...(allow ?? []), ...(block ?? [])]))];
  const idOf = new Map<string, bigint>();
  for (const name of names) {
    const decoded = ids.decode(name);
    if (decoded?.type === 'Expert') {
      idOf.set(name, decoded.id);
    }
  }
  const handles =
    batch.origin === 'API' ? [] : names.filter((name) => !idOf.has(name) && !name.includes('\u0000'));
  const lookup = { tenantId: batch.tenantId, ids: [...idOf.values()], handles };
  const found = names.length === 0 ? [] : await sql.findExperts(db, lookup);
  const known = new Set(found.map(({ id }) => id));
  const byHandle = new Map(found.map(({ id, handle }) => [handle, id]));
  const resolve = (name: string): bigint => {
    const id = idOf.get(name) ?? (handles.length > 0 ? byHandle.get(name) : undefined);
    if (id === undefined || !known.has(id)) {
      throw new RowFault(`names an expert that does not exist: ${JSON.stringify(name.slice(0, 100))}`);
    }
    return id;
  };
  return { idsOf: (list) => (list === null ? null : [...new Set(list.map(resolve))]) };
}
