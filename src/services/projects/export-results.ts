import { type Database, withService } from '../platform/database.js';
import { noteShown } from '../quality/adjudication/readers.js';
import type { Dimension } from '../tasks/task-types.js';
import type { ExportRequest } from './export.js';
import { finishedAfter, logExport, type ResultRow, resultsOf } from './export.sql.js';

/** What the answers of a finished task amount to in one dimension. */
export interface ExportedResult {
  readonly taskId: bigint;
  /** The customer's own name for the item; null where they gave none. */
  readonly item: string | null;
  readonly dimension: string;
  /** The most probable class, as the task type declares it, or the number. */
  readonly label: string;
  /** That it is right; where it is calibrated, as it turned out on the project's gold. */
  readonly probability: number;
  /** By which method and version of it (judgingMethods): null before any was made. */
  readonly method: string;
  readonly version: number | null;
  /** Whether the probability was held to truths that were not chosen by how sure the project was: else it is the method's own word. */
  readonly isCalibrated: boolean;
  readonly answers: number;
  readonly isAdjudicated: boolean;
  /** No answer is by an expert who has proven themselves in the skill, as they stand now, and no stronger expert decided it. */
  readonly isByNewcomersAlone: boolean;
  readonly batch: string;
}

/** Tasks in memory at once. */
const PAGE_TASKS = 500;

/**
 * The results of all finished tasks of a project by the method that holds, oldest first, gold left out. Read page by page; a version
 * that is made meanwhile judges the pages after it, and each row says by which it was judged. Who asked is noted as in exportAnswers.
 */
export async function* exportResults(db: Database, request: ExportRequest): AsyncGenerator<ExportedResult> {
  const { tenantId, projectId, actorId } = request;
  let after = 0n;
  for (let first = true; ; first = false) {
    const page = { tenantId, projectId, after, limit: PAGE_TASKS };
    const { rows, last } = await withService(db, { tenantId, actorId }, async (tx) => {
      if (first) {
        await logExport(tx, { tenantId, actorId, projectId });
        await noteShown(tx, { tenantId, actorId }, { projectIds: [projectId] });
      }
      // Those that finish meanwhile do not move the page.
      const ids = await finishedAfter(tx, page);
      return { last: ids.at(-1) ?? null, rows: await resultsOf(tx, tenantId, ids) };
    });
    for (const row of rows) {
      yield exported(row);
    }
    if (last === null) {
      return;
    }
    after = last;
  }
}

function exported({ externalId, batchName, dimensions, label, ...row }: ResultRow): ExportedResult {
  const declared = (JSON.parse(dimensions) as Dimension[]).find(({ name }) => name === row.dimension);
  return { ...row, item: externalId, batch: batchName, label: declaredLabel(declared, label) };
}

/** Text of an ordered dimension is kept by its rank. */
function declaredLabel(dimension: Dimension | undefined, label: string): string {
  const value = dimension?.scale === 'ordinal' ? dimension.values?.[Number(label)] : undefined;
  return typeof value === 'string' ? value : label;
}
