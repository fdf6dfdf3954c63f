import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '../../generated/prisma/client.js';
import { ANALYST_READS, ANALYST_STATEMENT_MS, AnalystReads } from './analysts.js';
import type { Queryable } from './rows.js';
import { isConnectionLost, sqlState } from './sqlstate.js';
import { inSpan, traceStatements } from './tracing.js';

/** What row-level security judges a transaction by. */
export interface Scope {
  readonly tenantId: bigint;
  readonly role: ScopeRole;
  /** The identity on whose behalf; stands in the access log. */
  readonly actorId: bigint | null;
  readonly customerId?: bigint | null;
  readonly expertId?: bigint | null;
  /** Ends what an analyst asked when nobody waits for the answer any more; others' statements are short. */
  readonly signal?: AbortSignal | undefined;
}

/** The acting role of a viewer, or SERVICE: our own statements after authorisation (one tenant, no narrower). */
export type ScopeRole = 'EXPERT' | 'CUSTOMER' | 'ANALYST' | 'DISPATCHER' | 'OPERATOR' | 'SERVICE';

export type Tx = Prisma.TransactionClient;

/**
 * The connections of one process. Nothing outside this module holds the bare clients: requests go through
 * {@link withScope} and {@link callHot}, background work through {@link withSystem}.
 */
export interface Database {
  /** Requests: role touchstone_app, row-level security applies. */
  readonly app: PrismaClient;
  /** The very pool under {@link app}, for hot statements by name. */
  readonly appPool: pg.Pool;
  /** Two connections, role touchstone_line, for batches of claims and of submits: {@link callLine}. Direct, never through a proxy. */
  readonly linePool: pg.Pool;
  /** What analysts ask: a pool of its own, role touchstone_analyst. Direct, never through a proxy. */
  readonly analysts: AnalystReads;
  readonly analystPool: pg.Pool;
  /** One connection, role touchstone_app: what is computed for analysts of what they may not see themselves. The same bounds. */
  readonly asides: AnalystReads;
  readonly asidePool: pg.Pool;
  /** Background work across tenants: role touchstone_system. */
  readonly system: PrismaClient;
  readonly systemPool: pg.Pool;
  /** For connections that must not be pooled or proxied: session locks of jobs. */
  readonly url: string;
  /** Called when the database is being closed, before any connection goes. */
  beforeClose(hook: () => Promise<void>): void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Connections for requests; about four a core is where throughput peaks (default 8). */
  readonly appConnections?: number;
  /** Connections for background work (default 4). */
  readonly systemConnections?: number;
}

/**
 * Everything that runs on the line is a short walk along an index. Planned once for all values, and never otherwise than
 * that, its plans cannot flip when statistics age or a table is nearly empty.
 */
const STEADY_PLANS = ['plan_cache_mode=force_generic_plan', 'jit=off']
  .concat(['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'].map((way) => `${way}=off`))
  .map((setting) => ` -c ${setting}`)
  .join('');

/**
 * What nobody foresaw is kept small: one process, little memory, no waiting for locks, nothing written, no time spent on
 * compiling what is cut short anyway.
 */
const UNFORESEEN = ['default_transaction_read_only=on', 'max_parallel_workers_per_gather=0', 'jit=off']
  .concat('work_mem=8MB', 'hash_mem_multiplier=1', 'lock_timeout=1000')
  .map((setting) => ` -c ${setting}`)
  .join('');

/**
 * Settings of a role cannot hold here: they count at a login, and these roles are taken on. A request's operation is given
 * up after 25 s, and its transactions only wait for the next statement of the same operation; a job may store thousands
 * of rows in one statement. Everybody waits for the line, so it gives up soonest, even on a server that says nothing: what
 * it gave up is run request by request.
 */
const KINDS = {
  app: { role: 'touchstone_app', statement: 30_000, idleInTransaction: 10_000, settings: '', more: {} },
  line: {
    role: 'touchstone_line',
    statement: 5_000,
    idleInTransaction: 10_000,
    settings: STEADY_PLANS,
    more: { connectionTimeoutMillis: 5_000, query_timeout: 8_000 },
  },
  analyst: {
    role: 'touchstone_analyst',
    statement: ANALYST_STATEMENT_MS,
    idleInTransaction: 10_000,
    settings: UNFORESEEN,
    more: {},
  },
  aside: {
    role: 'touchstone_app',
    statement: ANALYST_STATEMENT_MS,
    idleInTransaction: 15_000,
    settings: UNFORESEEN,
    more: {},
  },
  system: {
    role: 'touchstone_system',
    statement: 60_000,
    idleInTransaction: 30_000,
    settings: '',
    more: {},
  },
} as const;

/** A connection that nobody used for that long is closed: whoever opens the next waits for its plans, some tens of milliseconds. */
const IDLE_MS = 300_000;

/** A pool whose every connection has its role and UTC from its start: adapter-pg misreads instants in other zones. */
function createPool(url: string, kind: keyof typeof KINDS, max: number): pg.Pool {
  const { role, statement, idleInTransaction, settings, more } = KINDS[kind];
  const pool = new pg.Pool({
    connectionString: url,
    max,
    idleTimeoutMillis: IDLE_MS,
    options: `-c role=${role} -c TimeZone=UTC -c statement_timeout=${statement} -c idle_in_transaction_session_timeout=${idleInTransaction}${settings}`,
    application_name: role,
    ...more,
  });
  // An idle connection that dies (a restarted server) is replaced at the next use; without a listener it ends the process.
  pool.on('error', () => undefined);
  // One that dies while it is in use is reported to whoever waits for it, and by an event as well.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  pool.on('connect', traceStatements);
  return pool;
}

/** Opens the pools; connects on first use. */
export function openDatabase({ url, appConnections = 8, systemConnections = 4 }: DatabaseOptions): Database {
  const appPool = createPool(url, 'app', appConnections);
  const linePool = createPool(url, 'line', 2);
  const analystPool = createPool(url, 'analyst', ANALYST_READS);
  const asidePool = createPool(url, 'aside', 1);
  const systemPool = createPool(url, 'system', systemConnections);
  const hooks: (() => Promise<void>)[] = [];
  const app = new PrismaClient({ adapter: new PrismaPg(appPool) });
  const analyst = new PrismaClient({ adapter: new PrismaPg(analystPool) });
  const aside = new PrismaClient({ adapter: new PrismaPg(asidePool) });
  const system = new PrismaClient({ adapter: new PrismaPg(systemPool) });
  return {
    app,
    appPool,
    linePool,
    analysts: new AnalystReads(analyst, analystPool),
    analystPool,
    asides: new AnalystReads(aside, asidePool),
    asidePool,
    system,
    systemPool,
    url,
    beforeClose: (hook) => void hooks.push(hook),
    async close() {
      await Promise.all(hooks.map((hook) => hook()));
      await Promise.all([app, analyst, aside, system].map((client) => client.$disconnect()));
      await Promise.all([appPool, linePool, analystPool, asidePool, systemPool].map((pool) => pool.end()));
    },
  };
}

const TRANSACTION_LIMITS = { maxWait: 10_000, timeout: 30_000 } as const;

/**
 * Runs `work` in one transaction that sees what `scope` allows. The scope ends with the transaction. Analysts read
 * elsewhere: see {@link AnalystReads} for what their reads throw.
 */
export function withScope<T>(db: Database, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inSpan('transaction', { 'touchstone.scope': scope.role }, () =>
    scope.role === 'ANALYST' ? db.analysts.read(scope, work) : inScope(db, scope, work),
  );
}

function inScope<T>(db: Database, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.app.$transaction(async (tx) => {
    await enterScope(tx, scope);
    return work(tx);
  }, TRANSACTION_LIMITS);
}

/** {@link withScope} in the SERVICE scope of a tenant: for statements that follow an authorisation. */
export function withService<T>(
  db: Database,
  who: { tenantId: bigint; actorId: bigint | null },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return withScope(db, { tenantId: who.tenantId, actorId: who.actorId, role: 'SERVICE' }, work);
}

/**
 * {@link withService} for somebody who asks: what an analyst asks runs on a connection apart, with the bounds of analysts' reads, and
 * reads only. For services that compute what the asker may not see by themselves.
 * @throws what AnalystReads.read throws, where an analyst asks
 */
export function withServiceFor<T>(
  db: Database,
  { role, tenantId, identityId: actorId, signal }: Asking,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return role === 'ANALYST'
    ? db.asides.read({ tenantId, actorId, role: 'SERVICE', signal }, work)
    : withService(db, { tenantId, actorId }, work);
}

/** Who asks, and until when somebody waits for it. */
export interface Asking extends Pick<Scope, 'tenantId' | 'role' | 'signal'> {
  readonly identityId: bigint;
}

/** Runs background work in one transaction that sees every tenant. Never on behalf of a request. */
export function withSystem<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.system.$transaction(work, TRANSACTION_LIMITS);
}

/**
 * Calls a database function that is its own transaction and enters its own scope, as a named (prepared) statement.
 * @returns the one value that the statement selects
 */
export async function callHot(db: Database, name: string, query: Prisma.Sql): Promise<unknown> {
  const result = await inSpan(`call ${name}`, { 'db.system.name': 'postgresql' }, () =>
    db.appPool.query({ name, text: query.text, values: query.values as unknown[], rowMode: 'array' }),
  );
  return result.rows[0]?.[0];
}

/**
 * {@link callHot} on a connection of batches. It is kept after an error that the server has answered, and replaced
 * after any other.
 */
export async function callLine(db: Database, name: string, query: Prisma.Sql): Promise<unknown> {
  const client = await db.linePool.connect();
  let broken = false;
  try {
    const result = await client.query({
      name,
      text: query.text,
      values: query.values as unknown[],
      rowMode: 'array',
    });
    return result.rows[0]?.[0];
  } catch (error) {
    broken = sqlState(error) === null || isConnectionLost(error);
    throw error;
  } finally {
    client.release(broken);
  }
}

async function enterScope(tx: Queryable, scope: Scope): Promise<void> {
  await tx.$queryRaw`select 1 as ok from app.enter_scope(${scope.tenantId}, ${scope.role}, ${scope.actorId},
    ${scope.customerId ?? null}, ${scope.expertId ?? null})`;
}
