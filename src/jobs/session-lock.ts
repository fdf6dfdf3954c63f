import pg from 'pg';
import { z } from 'zod';
import { Prisma } from '../generated/prisma/client.js';
import { pgQueryable } from '../services/platform/pg-queryable.js';
import { one, type Queryable } from '../services/platform/rows.js';

/** A lock that one session of all nodes holds. What it protects runs on the session itself, so it cannot outlive it. */
export interface SessionLock {
  /** The session that holds the lock; null where another node has it. Throws where the database cannot be reached. */
  acquire(): Promise<Queryable | null>;
  /** Ends the session, and with it the lock. */
  release(): Promise<void>;
}

export interface SessionLockOptions {
  /** Goes to the database directly: behind a pooler a session is not ours to lock with. */
  readonly url: string;
  /** A name for the connection (`application_name`), seen in pg_stat_activity. */
  readonly name: string;
  /** Any two locks of a database need different numbers. */
  readonly key: number;
  /** The connection is taken for dead when a statement is not answered for so long (default 35 s). */
  readonly answerMs?: number;
}

/**
 * A node that hangs (a stopped process, a network that swallows packets) must not hold the lock for ever: the server
 * ends a session that says nothing for 5 s, or whose peer does not acknowledge for 15 s. A live holder speaks at least
 * every four seconds, and one that stands by sooner than that.
 */
const SERVER_OPTIONS =
  '-c role=touchstone_system -c TimeZone=UTC -c statement_timeout=30000 -c idle_session_timeout=5000 ' +
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=2';
const CONNECT_LIMIT_MS = 5_000;
/** Beyond the server's own limit of a statement: then the connection is dead, not the statement slow. */
const ANSWER_LIMIT_MS = 35_000;

/**
 * A session lock by `pg_try_advisory_lock`. Trying, never waiting: a session that waits for a lock keeps its snapshot,
 * and vacuum would clean nothing behind it.
 */
export function createSessionLock(options: SessionLockOptions): SessionLock {
  let session: pg.Client | null = null;
  let held = false;

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: options.url,
      application_name: options.name,
      options: SERVER_OPTIONS,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      query_timeout: options.answerMs ?? ANSWER_LIMIT_MS,
      keepAlive: true,
    });
    // Without a listener a connection that dies while idle would end the process.
    client.on('error', () => forget(client));
    client.on('end', () => forget(client));
    await client.connect();
    return client;
  }

  function forget(client: pg.Client): void {
    if (session === client) {
      session = null;
      held = false;
    }
  }

  /** pg goes on waiting for what was not answered in time, and so would every statement behind it: that session is given up. */
  function asking(client: pg.Client): Queryable {
    const db = pgQueryable(client);
    return {
      async $queryRaw<T>(query: TemplateStringsArray | Prisma.Sql): Promise<T> {
        try {
          return await db.$queryRaw<T>(query);
        } catch (error) {
          if (isUnanswered(error)) {
            forget(client);
            client.end().catch(() => undefined); // With a statement under way it destroys the connection.
          }
          throw error;
        }
      },
    };
  }

  return {
    async acquire() {
      session ??= await connect();
      const db = asking(session);
      if (!held) {
        held = (await one(db, LockRow, tryLock(options.key))).locked;
      }
      return held ? db : null;
    },
    async release() {
      const client = session;
      session = null;
      held = false;
      await client?.end().catch(() => undefined);
    },
  };
}

/** (pg gives it no code.) */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout';

const LockRow = z.object({ locked: z.boolean() });
const tryLock = (key: number) =>
  Prisma.sql`select pg_try_advisory_lock(${LOCK_SPACE}::int, ${key}::int) as "locked"`;
/** Advisory locks of other parts and programs have other first numbers. */
const LOCK_SPACE = 0x7057;
