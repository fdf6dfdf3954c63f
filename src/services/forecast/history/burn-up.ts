import type { Tx } from '../../platform/database.js';
import * as sql from './burn-up.sql.js';

/** How many answers of a batch were in at a moment. */
export type BurnUpPoint = sql.BurnUpPoint;

/** How batches have come to where they are, as far as the viewer's scope shows them: see the statement. */
export const burnUpsOf = (tx: Tx, batchIds: readonly bigint[]): Promise<BurnUpPoint[]> =>
  sql.burnUpsOf(tx, batchIds);
