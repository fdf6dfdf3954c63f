import { counted } from '../platform/counted.js';
import { ANSWERS_MAX, criticalAnswers } from '../quality/redundancy/policy.js';
import type { StoringBatch } from './batches.sql.js';
import type { ExpertBook } from './intake-experts.js';
import {
  checkRedundancy,
  type IntakeFault,
  type IntakeRow,
  type IntakeTask,
  isFault,
  RowFault,
} from './intake-row.js';
import type { StoredObject } from './payload-store.js';

/** What turns rows of an upload into rows for the queue. */
export interface Preparation {
  readonly book: ExpertBook;
  /** By line: the payload as it was stored. */
  readonly payloads: ReadonlyMap<number, StoredObject | undefined>;
  readonly batch: StoringBatch;
}

/** Rows as app.enqueue_tasks takes them, and those that cannot become tasks: what the parser found, and what only the project and its tenant tell. */
export function prepareRows(rows: readonly IntakeRow[], preparation: Preparation) {
  const accepted: QueueRow[] = [];
  const faults: IntakeFault[] = [];
  for (const row of rows) {
    if (isFault(row)) {
      faults.push(row);
      continue;
    }
    try {
      accepted.push(queueRow(row, preparation));
    } catch (error) {
      if (!(error instanceof RowFault)) {
        throw error;
      }
      faults.push({ line: row.line, reason: `The row ${error.message}.` });
    }
  }
  return { accepted, faults };
}

/** A row as app.enqueue_tasks takes it. */
export type QueueRow = ReturnType<typeof queueRow>;

/** Ids go as text: JSON numbers end at 2^53. Throws RowFault. */
function queueRow(row: IntakeTask, { book, payloads, batch }: Preparation) {
  const payload = payloads.get(row.line);
  if (payload === undefined) {
    throw new Error(`The payload of line ${row.line} was not stored.`);
  }
  const allow = book.idsOf(row.allow);
  const block = book.idsOf(row.block);
  const blocked = new Set(block);
  const able = allow?.filter((id) => !blocked.has(id)).length ?? Number.POSITIVE_INFINITY;
  const wanted = wantedOf(row, { batch, able });
  if (able < wanted) {
    throw tooFewFor(wanted, able);
  }
  return {
    line: row.line,
    externalId: row.externalId,
    payloadKey: payload.key,
    payloadBytes: payload.bytes,
    contentType: row.contentType,
    wanted,
    critical: row.isCritical,
    allow: allow?.map(String) ?? null,
    block: block?.map(String) ?? null,
  };
}

/** A task whose list leaves fewer experts than it wants answers. */
export const tooFewFor = (wanted: number, able: number): RowFault =>
  new RowFault(
    `wants ${counted(wanted, 'answer')} but leaves only ${counted(able, 'expert')} to give ${wanted === 1 ? 'it' : 'them'}`,
  );

/**
 * The answers that a task is opened with. Under a policy a task that is reserved for fewer experts than the policy begins
 * with begins with all of them: it goes on as far as its list reaches.
 */
export function wantedOf(
  row: IntakeTask,
  { batch, able }: { batch: Pick<StoringBatch, 'redundancy' | 'isAdaptive' | 'origin'>; able: number },
): number {
  const wanted =
    row.redundancy === null || batch.origin === 'IMPORT'
      ? (row.redundancy ?? batch.redundancy)
      : checkRedundancy(row.redundancy, ANSWERS_MAX);
  if (row.isCritical) {
    return criticalAnswers(wanted);
  }
  return row.redundancy === null && batch.isAdaptive && able > 0 ? Math.min(wanted, able) : wanted;
}
