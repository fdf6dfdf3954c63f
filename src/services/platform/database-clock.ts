import type { Logger } from 'pino';
import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from './database.js';
import { pgQueryable } from './pg-queryable.js';
import { one } from './rows.js';

/**
 * The database's clock, followed by this process, for what comes too often to ask each time. It goes on while the database
 * is away. A node whose own clock is wrong reads the same time as the others.
 */
export interface DatabaseClock {
  /** Milliseconds of the epoch, whole. */
  nowMs(): number;
  /** Asks the database now. */
  follow(): Promise<void>;
  close(): void;
}

/** Quartz drifts by a few milliseconds in this time. */
const EVERY_MS = 10_000;

const ClockRow = z.object({ ms: z.number() });

/** Starts following; the first answer has come when this resolves. */
export async function followDatabaseClock(
  db: Pick<Database, 'systemPool'>,
  log: Logger,
): Promise<DatabaseClock> {
  let offset = 0;
  const follow = async () => {
    const asked = performance.now();
    const { ms } = await one(
      pgQueryable(db.systemPool),
      ClockRow,
      Prisma.sql`select extract(epoch from app.clock_now())::float8 * 1000 as "ms"`,
    );
    // What it said was true half-way between the question and the answer, give or take half of that.
    offset = ms - (asked + performance.now()) / 2;
  };
  await follow();
  const timer = setInterval(() => {
    follow().catch((error: unknown) => log.warn({ err: error }, 'clock.not_followed'));
  }, EVERY_MS).unref();
  return {
    nowMs: () => Math.round(performance.now() + offset),
    follow,
    close: () => clearInterval(timer),
  };
}
