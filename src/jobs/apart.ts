import type { Logger } from 'pino';
import { isConnectionLost } from '../services/platform/sqlstate.js';

/** Pieces of a step, by the name under which the log tells of what throws; each says whether there is more of it to be done at once. */
export type Pieces = Readonly<Record<string, () => Promise<boolean>>>;

/**
 * Does one piece after the other, each whatever becomes of the others: what throws is logged as `<name>.failed`, but for a
 * database that went away, which is thrown.
 * @returns whether one of them has more to do at once
 */
export async function doApart(log: Logger, pieces: Pieces): Promise<boolean> {
  let hasMore = false;
  for (const [name, piece] of Object.entries(pieces)) {
    try {
      hasMore = (await piece()) || hasMore;
    } catch (err) {
      if (isConnectionLost(err)) {
        throw err;
      }
      log.error({ err }, `${name}.failed`);
    }
  }
  return hasMore;
}
