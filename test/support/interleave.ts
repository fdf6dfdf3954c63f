import type pg from 'pg';
import type { Prisma } from '../../src/generated/prisma/client.js';
import { connect } from '../../src/runtime/connect.js';

// Two operations are single function calls, so they cannot be stepped through statement by statement. What can be done:
// a third connection holds a lock that both will need, both run into it, and it lets go. Which of the two goes first is
// then a matter of microseconds, and both were truly in flight.

/** A lock to hold: the statement that takes it. */
export interface Lock {
  readonly text: string;
  readonly values: readonly unknown[];
}

export const expertRow = (tenantId: bigint, expertId: bigint): Lock => ({
  text: 'select 1 from experts where tenant_id = $1 and id = $2 for update',
  values: [tenantId, expertId],
});

export const projectRow = (tenantId: bigint, projectId: bigint): Lock => ({
  text: 'select 1 from projects where tenant_id = $1 and id = $2 for update',
  values: [tenantId, projectId],
});

export const assignmentRow = (tenantId: bigint, assignmentId: bigint): Lock => ({
  text: 'select 1 from assignments where tenant_id = $1 and id = $2 for update',
  values: [tenantId, assignmentId],
});

export const taskRow = (tenantId: bigint, taskId: bigint): Lock => ({
  text: 'select 1 from tasks where tenant_id = $1 and id = $2 for update',
  values: [tenantId, taskId],
});

export const queueRow = (tenantId: bigint, taskId: bigint): Lock => ({
  text: 'select 1 from ready where tenant_id = $1 and task_id = $2 for update',
  values: [tenantId, taskId],
});

/** Runs `work` while a connection of its own holds `lock` in an open transaction. */
export async function holding<T>(url: string, lock: Lock, work: () => Promise<T>): Promise<T> {
  const client = await connect(url, 'touchstone test lock');
  try {
    await client.query('begin');
    const { rowCount } = await client.query(lock.text, [...lock.values]);
    if (lock.values.length > 0 && rowCount !== 1) {
      throw new Error(`The lock found ${rowCount} rows: ${lock.text}`);
    }
    return await work();
  } finally {
    await client.query('rollback');
    await client.end();
  }
}

/**
 * Starts `calls` one after the other while `lock` is held, each as soon as the one before is seen waiting for a lock,
 * lets go, and returns how they ended. The first that waits is the first that goes on.
 */
export async function behind<T>(
  on: { url: string; admin: pg.Client },
  lock: Lock,
  calls: readonly (() => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const ends: Promise<PromiseSettledResult<T>[]>[] = [];
  await holding(on.url, lock, async () => {
    for (const [index, call] of calls.entries()) {
      ends.push(Promise.allSettled([call()]));
      await untilBlocked(on.admin, index + 1);
    }
  });
  return (await Promise.all(ends)).flat();
}

/** No machine is too busy for this. */
const BLOCKED_WITHIN_MS = 60_000;

/** Waits until `count` connections to this database wait for a lock, by asking the server. */
export async function untilBlocked(admin: pg.Client, count: number): Promise<void> {
  await until(admin, `${count} blocked connections`, async () => {
    const { rows } = await admin.query<{ blocked: number }>(
      `select count(*)::int as blocked from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return (rows[0]?.blocked ?? 0) >= count;
  });
}

/** Asks until the answer is yes; each question is a round trip, so it neither sleeps nor spins. */
async function until(admin: pg.Client, what: string, ask: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + BLOCKED_WITHIN_MS;
  while (!(await ask())) {
    if (Date.now() > deadline) {
      const { rows } = await admin.query(
        `select state, wait_event_type, left(query, 80) as query from pg_stat_activity where datname = current_database()`,
      );
      throw new Error(`Waited ${BLOCKED_WITHIN_MS} ms for ${what}: ${JSON.stringify(rows)}`);
    }
  }
}

/**
 * Runs one operation on a connection of its own and leaves it uncommitted while `work` runs and until something waits for
 * it; then commits.
 */
export async function uncommitted<T>(
  on: { appUrl: string; admin: pg.Client },
  operation: Prisma.Sql,
  work: () => T,
): Promise<T> {
  const client = await connect(on.appUrl, 'touchstone test uncommitted');
  try {
    await client.query('begin');
    await client.query(operation.text, operation.values);
    const result = work();
    await untilBlocked(on.admin, 1);
    await client.query('commit');
    return result;
  } finally {
    await client.end();
  }
}
