import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { one, type Queryable, run } from '../platform/rows.js';

/** Advisory locks of other parts have other first numbers. */
const WATCH_LOCK_SPACE = 0x7069;

/** Takes the turn at looking until the transaction ends; false where another node has it. */
export const tryWatchTurn = async (db: Queryable): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ taken: z.boolean() }),
      Prisma.sql`select pg_try_advisory_xact_lock(${WATCH_LOCK_SPACE}::int, 1) as "taken"`,
    )
  ).taken;

/** See app.watch_dispatch. */
export const watchDispatch = (db: Queryable): Promise<void> =>
  run(db, Prisma.sql`select 1 as ok from app.watch_dispatch()`);
