import { BEYOND_BUDGET } from '../payouts/budgets.sql.js';
import { type Tx, withSystem } from '../platform/database.js';
import type { IdCodec } from '../platform/ids.js';
import { retrying } from '../platform/retry.js';
import { sqlState } from '../platform/sqlstate.js';
import { regardTasks } from '../quality/gold/looks.js';
import { holdLooks } from '../quality/gold/looks.sql.js';
import type { IntakeParts } from './batches.js';
import type { StoringBatch } from './batches.sql.js';
import * as sql from './batches.sql.js';
import { readExpertBook } from './intake-experts.js';
import { parseIntake, UploadUnreadableError } from './intake-parse.js';
import { prepareRows, type QueueRow } from './intake-queue-rows.js';
import { type IntakeFault, type IntakeRow, type IntakeTask, isFault, isTask } from './intake-row.js';
import { PayloadCorruptError, PayloadMissingError, type StoredObject } from './payload-store.js';

export interface StoringParts extends IntakeParts {
  readonly ids: IdCodec;
}

/**
 * What became of a batch: ended in a state of its own; MORE rows wait; or LOST to another node that is at it, which
 * the cursor tells.
 */
export type StoringOutcome = 'OPEN' | 'FAILED' | 'CANCELLED' | 'MORE' | 'LOST';

/** How far one call goes. */
export interface Turn {
  readonly maxRows: number;
  /** Aborted: go no further than the chunk at hand. */
  readonly signal?: AbortSignal | undefined;
}

/** Rows of one transaction: large enough to spread its cost, small enough to hold no lock for long. */
const CHUNK_ROWS = 500;
/** Rows may have 8 MiB each: a chunk has less than twice this. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Rows may name 2,000 experts each; every one becomes a row of the queue in the chunk's transaction. */
const CHUNK_EXPERTS = 20_000;

/** Faults kept for reading; further ones are only counted. Nobody reads more, and a million bad rows are one mistake. */
const MAX_RECORDED_ERRORS = 10_000n;

/** app.enqueue_tasks met a cancelled project. */
const PROJECT_CANCELLED = 'XR003';
/** Data exceptions and violated constraints. */
const REFUSED_DATA = /^2[23]/;

/**
 * Stores a batch from where it stands, for one turn. For each chunk the payloads are made durable
 * first; one transaction then opens their tasks, records what was faulty and moves the cursor. So a process that dies
 * anywhere, at most, has stored payloads that the next one finds to be there already, and no row is taken twice.
 *
 * An upload that is missing, corrupt or unreadable ends the batch as FAILED, with the reason; a cancelled project ends
 * it as CANCELLED. What is neither (a storage or database that cannot be reached) is thrown, for another try.
 */
export async function storeBatch(
  parts: StoringParts,
  batch: StoringBatch,
  turn: Turn,
): Promise<StoringOutcome> {
  try {
    if (batch.rowsDone === 0n) {
      await checkRaw(parts, batch, turn);
    }
    const ended = await storeRows(parts, batch, turn);
    return ended ?? (await end(parts, batch, { state: 'OPEN', failure: null }));
  } catch (error) {
    const ending = endingOf(error);
    if (ending === null) {
      throw error;
    }
    return await end(parts, batch, ending);
  }
}

/** Null when every row has been stored. */
async function storeRows(
  parts: StoringParts,
  batch: StoringBatch,
  { maxRows, signal }: Turn,
): Promise<'MORE' | 'LOST' | null> {
  const { stream } = await parts.store.open(batch.tenantId, batch.rawKey);
  const { format } = batch;
  let rowsDone = batch.rowsDone;
  try {
    const rows = parseIntake(stream, { format, skipRows: Number(rowsDone) });
    for await (const chunk of withPayloads(parts, batch, chunked(rows))) {
      if (signal?.aborted || rowsDone - batch.rowsDone >= maxRows) {
        return 'MORE';
      }
      if (!(await openChunk(parts, { ...batch, rowsDone }, chunk))) {
        return 'LOST';
      }
      rowsDone += BigInt(chunk.rows.length);
    }
    return null;
  } finally {
    stream.destroy();
  }
}

/** Reads the upload once through before its first task becomes work: damage is found while nothing depends on it. */
async function checkRaw({ store }: StoringParts, batch: StoringBatch, { signal }: Turn): Promise<void> {
  const { stream } = await store.open(batch.tenantId, batch.rawKey);
  for await (const _chunk of stream) {
    // The stream itself compares the digest, and fails.
    if (signal?.aborted) {
      return;
    }
  }
}

/** Rows whose payloads are durable. */
interface StoredChunk {
  readonly rows: readonly IntakeRow[];
  readonly tasks: readonly IntakeTask[];
  /** By line. */
  readonly payloads: ReadonlyMap<number, StoredObject | undefined>;
}

/** Stores payloads one chunk ahead, so that the storage and the database work at the same time. */
async function* withPayloads(
  parts: StoringParts,
  batch: StoringBatch,
  chunks: AsyncIterable<IntakeRow[]>,
): AsyncGenerator<StoredChunk> {
  let ahead: Promise<StoredChunk> | null = null;
  try {
    for await (const rows of chunks) {
      const ready = ahead;
      ahead = storePayloads(parts, batch, rows);
      // Its failure is thrown when its turn comes; until then it must not count as unhandled.
      ahead.catch(() => undefined);
      if (ready !== null) {
        yield await ready;
      }
    }
    if (ahead !== null) {
      yield await ahead;
    }
  } finally {
    await ahead?.catch(() => undefined);
  }
}

async function storePayloads(
  { store }: StoringParts,
  batch: StoringBatch,
  rows: readonly IntakeRow[],
): Promise<StoredChunk> {
  const tasks = rows.filter(isTask);
  const contents = tasks.map(({ payload }) => payload);
  const stored = await store.putMany(batch.tenantId, contents);
  return { rows, tasks, payloads: new Map(tasks.map(({ line }, index) => [line, stored[index]])) };
}

/** One transaction. False where the batch is no longer where the caller believes it to be. */
async function openChunk(parts: StoringParts, batch: StoringBatch, chunk: StoredChunk): Promise<boolean> {
  const { rows, tasks, payloads } = chunk;
  const place = { tenantId: batch.tenantId, batchId: batch.id };
  return await retrying(() =>
    withSystem(parts.db, async (tx) => {
      const locked = await sql.lockStoringBatch(tx, { ...place, rowsDone: batch.rowsDone });
      if (locked === null) {
        return false;
      }
      const book = await readExpertBook(tx, tasks, { ids: parts.ids, batch });
      const { accepted, faults } = prepareRows(rows, { book, payloads, batch });
      const errors = [
        ...faults,
        ...(await openTasks(tx, { ...place, projectId: batch.projectId }, accepted)),
      ];
      await recordErrors(tx, locked, errors);
      await sql.advance(tx, { ...place, tasks: rows.length - errors.length, errors: errors.length });
      return true;
    }),
  );
}

type Place = { tenantId: bigint; batchId: bigint; projectId: bigint };

async function openTasks(tx: Tx, place: Place, accepted: readonly QueueRow[]): Promise<IntakeFault[]> {
  if (accepted.length === 0) {
    return [];
  }
  await holdLooks(tx, place, 'TASKS');
  const critical = accepted.filter((row) => row.critical).map(({ line }) => line);
  if (critical.length > 0) {
    await sql.prepareDisputes(tx, place);
  }
  const refused = await sql.enqueueTasks(tx, place, JSON.stringify(accepted));
  if (critical.length > 0) {
    await sql.markCritical(tx, place, critical);
  }
  await regardTasks(tx, place, accepted);
  return refused.map(({ line, reason }) => ({ line: Number(line), reason }));
}

async function recordErrors(tx: Tx, batch: StoringBatch, errors: readonly IntakeFault[]): Promise<void> {
  const room = MAX_RECORDED_ERRORS - batch.errorCount;
  const recorded = room > 0n ? errors.slice(0, Number(room)) : [];
  if (recorded.length > 0) {
    await sql.insertErrors(tx, { tenantId: batch.tenantId, batchId: batch.id }, JSON.stringify(recorded));
  }
}

interface Ending {
  readonly state: 'OPEN' | 'FAILED' | 'CANCELLED';
  readonly failure: string | null;
}

async function end({ db }: StoringParts, batch: StoringBatch, ending: Ending): Promise<Ending['state']> {
  await withSystem(db, (tx) =>
    sql.endStoring(tx, { tenantId: batch.tenantId, batchId: batch.id, ...ending }),
  );
  return ending.state;
}

/** How an error ends a batch for good; null for what another try may mend. */
function endingOf(error: unknown): Ending | null {
  if (error instanceof UploadUnreadableError) {
    return { state: 'FAILED', failure: error.message };
  }
  if (error instanceof PayloadMissingError) {
    return {
      state: 'FAILED',
      failure: 'The uploaded content is missing from the object storage. Upload it again.',
    };
  }
  if (error instanceof PayloadCorruptError) {
    return {
      state: 'FAILED',
      failure: 'The uploaded content was damaged in the object storage. Upload it again.',
    };
  }
  const state = sqlState(error);
  if (state === BEYOND_BUDGET) {
    const failure =
      'The budget of the project does not pay for all tasks of the upload: those that were stored before it was used up are open.';
    return { state: 'FAILED', failure };
  }
  if (state !== null && REFUSED_DATA.test(state)) {
    // Every try would meet the same row: better a batch that has failed and says so than one that is stored for ever.
    return { state: 'FAILED', failure: `A row of the upload was refused by the database (${state}).` };
  }
  return state === PROJECT_CANCELLED ? { state: 'CANCELLED', failure: null } : null;
}

async function* chunked(rows: AsyncIterable<IntakeRow>): AsyncGenerator<IntakeRow[]> {
  let chunk: IntakeRow[] = [];
  let bytes = 0;
  let experts = 0;
  for await (const row of rows) {
    chunk.push(row);
    if (!isFault(row)) {
      bytes += row.payload.byteLength;
      experts += (row.allow?.length ?? 0) + (row.block?.length ?? 0);
    }
    if (chunk.length >= CHUNK_ROWS || bytes >= CHUNK_BYTES || experts >= CHUNK_EXPERTS) {
      yield chunk;
      chunk = [];
      bytes = 0;
      experts = 0;
    }
  }
  if (chunk.length > 0) {
    yield chunk;
  }
}
