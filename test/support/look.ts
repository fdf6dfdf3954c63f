import type pg from 'pg';
import { type Database, withSystem } from '../../src/services/platform/database.js';
import { fireDueAlarms } from '../../src/services/routing/alarms.sql.js';

/** The one number that a statement selects. */
export async function numberOf(
  admin: pg.Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const { rows } = await admin.query({ text, values: [...values], rowMode: 'array' });
  return Number(rows[0]?.[0]);
}

/** One round of the alarm runner. Returns how many alarms it looked at. */
export const fireAlarms = (db: Database): Promise<number> =>
  withSystem(db, async (tx) => Number(await fireDueAlarms(tx, 500)));

/** Puts the clock's body to `expression` while `work` runs, for instants finer than a shift can reach. */
export async function withClock<T>(admin: pg.Client, expression: string, work: () => Promise<T>): Promise<T> {
  const { rows } = await admin.query<{ text: string }>(
    `select pg_get_functiondef('app.clock_now()'::regprocedure) as text`,
  );
  await admin.query(
    `create or replace function app.clock_now() returns timestamptz language sql stable parallel safe as $$ ${expression} $$`,
  );
  try {
    return await work();
  } finally {
    await admin.query(rows[0]?.text ?? '');
  }
}
