import { type Database, withSystem } from '../platform/database.js';
import * as sql from './watch.sql.js';

/** Raises and ends the alerts of dispatch that time alone brings about. Busy: another node looks just now. */
export function watchDispatch(db: Database): Promise<'done' | 'busy'> {
  return withSystem(db, async (tx) => {
    if (!(await sql.tryWatchTurn(tx))) {
      return 'busy';
    }
    await sql.watchDispatch(tx);
    return 'done';
  });
}
