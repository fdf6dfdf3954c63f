import { connect } from './connect.js';

/** So many months are prepared: a year in which nobody deploys. The housekeeping job does the same where it may. */
const MONTHS_AHEAD = 12;

/** Makes the access log's partitions for the months to come. The login is one that may migrate. Returns how many it made. */
export async function prepareAccessLog(url: string): Promise<number> {
  const client = await connect(url, 'touchstone migrate');
  try {
    await client.query('begin');
    await client.query('set local role touchstone_owner');
    const { rows } = await client.query<{ made: number }>('select app.prepare_access_log($1) as made', [
      MONTHS_AHEAD,
    ]);
    await client.query('commit');
    return rows[0]?.made ?? 0;
  } finally {
    await client.end();
  }
}
