import { type Database, withService } from '../platform/database.js';
import { noteShown } from '../quality/adjudication/readers.js';
import { type AnswerRow, answersAfter, logExport } from './export.sql.js';
import { importTagOf } from './import-key.js';

/** One answer with where it comes from. */
export interface ExportedAnswer {
  readonly assignmentId: bigint;
  readonly taskId: bigint;
  /** The customer's own name for the item; null where they gave none. */
  readonly item: string | null;
  /** How the expert is called; for imports, as the file called the worker. */
  readonly worker: string;
  /** The option chosen; for other kinds of answer its canonical JSON. */
  readonly label: string;
  /** Canonical JSON (RFC 8785), the bytes that the digest is over. */
  readonly body: string;
  readonly epoch: number;
  readonly submittedAt: Date;
  readonly digest: string;
  readonly priceMinor: bigint;
  readonly currency: string;
  readonly batch: string;
  /** A further answer by a stronger expert, to an item that others have answered, is an adjudication. */
  readonly kind: 'WORK' | 'ADJUDICATION';
}

export interface ExportRequest {
  readonly tenantId: bigint;
  readonly projectId: bigint;
  readonly idempotencyKey: string;
  /** Who asks; stands in the access log. */
  readonly actorId: bigint;
}

/** Rows in memory at once; a page of short answers is about a megabyte. */
const PAGE_ROWS = 2000;

/**
 * Every answer of a project, in the order in which its assignments were first claimed: stable, so that a later export
 * has an earlier one's rows in the same order. Read page by page; an answer given meanwhile may be in it or not. Who
 * asked is written down in the transaction that reads the first page, and can never answer or adjudicate in the project.
 */
export async function* exportAnswers(db: Database, request: ExportRequest): AsyncGenerator<ExportedAnswer> {
  const { tenantId, projectId, actorId } = request;
  const tag = importTagOf(request.idempotencyKey);
  let after = 0n;
  for (let first = true; ; first = false) {
    const rows = await withService(db, { tenantId, actorId }, async (tx) => {
      if (first) {
        await logExport(tx, { tenantId, actorId, projectId });
        await noteShown(tx, { tenantId, actorId }, { projectIds: [projectId] });
      }
      return answersAfter(tx, { tenantId, projectId, after, limit: PAGE_ROWS });
    });
    for (const row of rows) {
      yield exportedFrom(row, tag);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) {
      return;
    }
    after = last.assignmentId;
  }
}

function exportedFrom(
  { externalId, handle, batchName, kind, taskKind, ...row }: AnswerRow,
  tag: string | null,
): ExportedAnswer {
  const prefix = `${tag}/`;
  return {
    ...row,
    item: externalId,
    worker: tag !== null && handle.startsWith(prefix) ? handle.slice(prefix.length) : handle,
    label: labelOf(kind, row.body),
    batch: batchName,
    kind: taskKind,
  };
}

function labelOf(kind: string, body: string): string {
  if (kind !== 'SINGLE_CHOICE') {
    return body;
  }
  const { choice } = JSON.parse(body) as { choice: string };
  return choice;
}
