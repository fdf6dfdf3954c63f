import { connect } from '../../src/runtime/connect.js';

/** How often a node moves the lanes' marks. */
const EVERY_MS = 1_000;

/** Moves the low-water marks each second while `work` runs, as a node does beside its requests. */
export async function withMarks<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = await connect(url, 'touchstone bench');
  let moving: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    moving = moving.then(() => client.query('select app.refresh_lanes(false)'));
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await moving;
    await client.end();
  }
}
