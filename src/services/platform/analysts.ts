import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { z } from 'zod';
import { Prisma, type PrismaClient } from '../../generated/prisma/client.js';
import { type Backend, backendOf, pidOf } from './backend.js';
import type { Scope, Tx } from './database.js';
import { CancelledError, DomainError } from './errors.js';
import { FairTurns } from './fair-turns.js';
import { one } from './rows.js';
import { sqlState } from './sqlstate.js';

/** Reads of analysts at once on this node: as many as their pool has connections. */
export const ANALYST_READS = 2;
/** Reads that wait for their turn; whoever has most of them waiting is refused first. */
const WAITING_MAX = 64;
/** One statement may take this long, and one read (a transaction) not much longer. */
export const ANALYST_STATEMENT_MS = 10_000;
const READ_MS = 15_000;
/** No page is longer than 101 rows, and no batch of loads than some thousands. */
const ROWS_MAX = 20_000;
/** And no read needs more than this: a row may have an answer of 64 KiB. */
const BYTES_MAX = 64 * 2 ** 20;
/** What one statement may write to disk for sorting and hashing, where the login may bound that. */
const SPILLED_KILOBYTES_MAX = 256 * 1_024;
/** A read that took less is followed by the next one at once; after one that took more its connection rests so many times as long … */
const REST_FROM_MS = 1_000;
const REST_TIMES = 2;
/** … and one that takes longer than this yields from then on, to whatever else this machine has to do. */
const YIELD_FROM_MS = 250;
/** A request to cancel does nothing between two statements of a transaction: it is said again until the read has ended. */
const CANCEL_AGAIN_MS = 200;

/** What an analyst asked took too long and was given up. */
export class QueryTooSlowError extends DomainError {
  readonly code = 'QUERY_TOO_SLOW';
  constructor() {
    super(
      `This took longer than ${ANALYST_STATEMENT_MS / 1_000} s and was given up: name a project, a batch or an expert, ask for smaller pages, or leave out counts and nested lists.`,
    );
  }
}

/** What an analyst asked would have read more than one read may. */
export class QueryTooLargeError extends DomainError {
  readonly code = 'QUERY_TOO_LARGE';
  constructor() {
    super(
      `This read more than ${ROWS_MAX} rows or ${BYTES_MAX / 2 ** 20} MiB, or more than fits in memory, and was given up: name a project, a batch or an expert, or go through the list page by page with \`after\`.`,
    );
  }
}

/**
 * Reads in the ANALYST scope, or of a service for analysts: few at once, tenants and people by turns, each on a connection that can only read, yields to
 * everybody else, and is stopped when its time, its rows or its asker have gone.
 */
export class AnalystReads {
  private readonly turns = new FairTurns({
    atOnce: ANALYST_READS,
    waitingMax: WAITING_MAX,
    retryAfterSeconds: READ_MS / 1_000,
  });
  private readonly backends = new Map<number, Backend>();

  constructor(
    private readonly client: PrismaClient,
    pool: pg.Pool,
  ) {
    pool.on('connect', (made) => {
      const backend = backendOf(made);
      this.backends.set(backend.pid, backend);
      backend.yieldToOthers().catch(() => undefined);
    });
    pool.on('remove', (gone) => void this.backends.delete(pidOf(gone)));
  }

  /** Reads that wait for their turn. */
  get waiting(): number {
    return this.turns.waiting;
  }

  /**
   * Runs `work` in one transaction that sees what the scope allows.
   * @throws QueryTooSlowError, QueryTooLargeError, OverloadedError; CancelledError once `scope.signal` has been aborted
   */
  async read<T>(scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
    const { tenantId, actorId, signal } = scope;
    await this.turns.take({ tenantId, identityId: actorId ?? 0n, signal });
    const began = performance.now();
    const stop = new Stop(scope.signal);
    try {
      return await this.client.$transaction(
        async (tx) => {
          stop.guard(this.backends.get(await enter(tx, scope)));
          return work(tx);
        },
        { maxWait: READ_MS, timeout: READ_MS * 2 },
      );
    } catch (error) {
      throw stop.reason() ?? refusalOf(error) ?? error;
    } finally {
      await stop.end();
      this.turns.give(restAfter(performance.now() - began));
    }
  }
}

/** What a read that is not short reads and writes on disk is others' time too, whatever its priority. */
const restAfter = (ms: number): number => (ms < REST_FROM_MS ? 0 : REST_TIMES * ms);

/** Why a read is to end before it is done, and what ends it. */
class Stop {
  private error: DomainError | undefined;
  private backend: Backend | undefined;
  private again: NodeJS.Timeout | undefined;
  private asked: Promise<void> = Promise.resolve();
  private readonly late: NodeJS.Timeout;
  private readonly long: NodeJS.Timeout;
  private isLong = false;
  private readonly gone = () => this.now(new CancelledError());

  constructor(private readonly signal: AbortSignal | undefined) {
    this.late = setTimeout(() => this.now(new QueryTooSlowError()), READ_MS);
    this.long = setTimeout(() => this.yield(), YIELD_FROM_MS);
    signal?.addEventListener('abort', this.gone, { once: true });
  }

  reason(): DomainError | undefined {
    return this.error;
  }

  /** From here on the backend is told; before, there was nothing to stop. */
  guard(backend: Backend | undefined): void {
    this.backend = backend;
    if (this.isLong) {
      backend?.yieldAsGroup(true);
    }
    backend?.onRow(({ rows, bytes }) => {
      if (rows > ROWS_MAX || bytes > BYTES_MAX) {
        this.now(new QueryTooLargeError());
        backend.cut();
      }
    });
    if (this.error !== undefined) {
      throw this.error;
    }
  }

  /** Waits for what the server was told: later it would hit whoever has the connection next. */
  async end(): Promise<void> {
    clearTimeout(this.late);
    clearTimeout(this.long);
    clearInterval(this.again);
    this.signal?.removeEventListener('abort', this.gone);
    this.backend?.onRow(null);
    await this.asked;
    if (this.isLong) {
      this.backend?.yieldAsGroup(false);
    }
  }

  private yield(): void {
    this.isLong = true;
    this.backend?.yieldAsGroup(true);
  }

  private now(error: DomainError): void {
    if (this.error === undefined) {
      this.error = error;
      this.cancel();
      this.again = setInterval(() => this.cancel(), CANCEL_AGAIN_MS);
    }
  }

  private cancel(): void {
    this.asked = Promise.all([this.asked, this.backend?.cancel()]).then(() => undefined);
  }
}

/** @returns the number of the process that works for the transaction */
const enter = async (tx: Tx, { tenantId, actorId, role }: Scope): Promise<number> =>
  (
    await one(
      tx,
      z.object({ pid: z.int() }),
      role === 'ANALYST'
        ? Prisma.sql`select app.enter_analyst(${tenantId}, ${actorId}, ${SPILLED_KILOBYTES_MAX}) as pid`
        : Prisma.sql`select pg_backend_pid() as pid from app.enter_scope(${tenantId}, ${role}, ${actorId}, null, null)`,
    )
  ).pid;

/** By time (query_canceled) and by what it spilled (configuration_limit_exceeded). */
function refusalOf(error: unknown): DomainError | null {
  const state = sqlState(error);
  if (state === '57014') {
    return new QueryTooSlowError();
  }
  return state === '53400' ? new QueryTooLargeError() : null;
}
