import { connect } from './connect.js';

/** So many months are prepared: a year in which nobody deploys. The housekeeping job does the same where it may. */
const MONTHS_AHEAD = 12;
/** And so many days of the archive of fixes, which only lives for seven; the fixes job does the same. */
const DAYS_AHEAD = 30;

/** Makes the partitions of the access log for the months to come, and of the archive of fixes for the days. The login is one that may migrate. Returns how many months it made. */
export async function prepareAccessLog(url: string): Promise<number> {
  const client = await connect(url, 'touchstone migrate');
  try {
    await client.query('begin');
    await client.query('set local role touchstone_owner');
    const { rows } = await client.query<{ made: number }>('select app.prepare_access_log($1) as made', [
      MONTHS_AHEAD,
    ]);
    await client.query('select app.prepare_fix_days($1)', [DAYS_AHEAD]);
    await client.query('commit');
    return rows[0]?.made ?? 0;
  } finally {
    await client.end();
  }
}
