import type { StoringBatch } from './batches.sql.js';
import type { ExpertBook } from './intake-experts.js';
import { type IntakeFault, type IntakeRow, type IntakeTask, isFault, RowFault } from './intake-row.js';
import { wantedByAble } from './intake-wants.js';
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
  const wanted = wantedByAble(row, { batch, allow, block });
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
