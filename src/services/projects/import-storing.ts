import { setTimeout as wait } from 'node:timers/promises';
import { withSystem } from '../platform/database.js';
import { DomainError } from '../platform/errors.js';
import { jitter } from '../platform/retry.js';
import { type StoringParts, storeBatch } from './batch-storing.js';
import { findBatchState, findStoringBatch } from './batches.sql.js';

/** A batch ended otherwise than open. */
export class BatchNotOpenError extends DomainError {
  readonly code = 'BATCH_NOT_OPEN';
  constructor(state: string, failure: string | null) {
    super(failure ?? `The batch is ${state}, so its tasks cannot be claimed.`);
  }
}

const ROWS_A_TURN = 10_000;
const LOOK_AGAIN_MS = 100;

/**
 * Stores a batch until it is open, whether or not a server is at it as well: who comes second to a chunk finds its
 * cursor moved and looks again.
 * @throws BatchNotOpenError where it ends otherwise
 */
export async function storeUntilOpen(
  parts: StoringParts,
  batch: { readonly tenantId: bigint; readonly batchId: bigint },
): Promise<void> {
  for (;;) {
    const storing = await withSystem(parts.db, (tx) => findStoringBatch(tx, batch));
    if (storing === null) {
      break;
    }
    if ((await storeBatch(parts, storing, { maxRows: ROWS_A_TURN })) === 'LOST') {
      await wait(jitter(LOOK_AGAIN_MS));
    }
  }
  const ended = await withSystem(parts.db, (tx) => findBatchState(tx, batch));
  if (ended.state !== 'OPEN') {
    throw new BatchNotOpenError(ended.state, ended.failure);
  }
}
