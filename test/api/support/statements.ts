import type pg from 'pg';

const listeners = new WeakMap<pg.PoolClient, Set<() => void>>();

/** The frame of a transaction. */
const FRAME = /^\s*(begin|commit|rollback|set )|app\.enter_scope/i;

/**
 * Counts the statements inside the transactions that a pool's connections run while `work` does. What is asked of the pool itself (who a token speaks for) is kept for seconds and counts for no query.
 */
export async function statementsOf(pool: pg.Pool, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hear = () => {
    count += 1;
  };
  const listen = (client: pg.PoolClient) => {
    listenersOf(client).add(hear);
  };
  const leave = (_error: Error, client: pg.PoolClient) => void listenersOf(client).delete(hear);
  pool.on('acquire', listen);
  pool.on('release', leave);
  try {
    await work();
  } finally {
    pool.off('acquire', listen);
    pool.off('release', leave);
  }
  return count;
}

/** Who hears of each statement that is asked of a connection by promise, as transactions do. */
function listenersOf(client: pg.PoolClient): Set<() => void> {
  const known = listeners.get(client);
  if (known !== undefined) {
    return known;
  }
  const hearing = new Set<() => void>();
  listeners.set(client, hearing);
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((...args: unknown[]) => {
    const text = typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: unknown }).text);
    if (typeof args.at(-1) !== 'function' && !FRAME.test(text)) {
      hearing.forEach((hear) => void hear());
    }
    return query(...args);
  }) as typeof client.query;
  return hearing;
}
