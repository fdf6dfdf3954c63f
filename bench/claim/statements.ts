import type pg from 'pg';

/** One statement, top-level or inside a function, as pg_stat_statements counted it. */
export interface Statement {
  readonly query: string;
  readonly toplevel: boolean;
  readonly calls: number;
  /** Shared buffers, hit or read; what statements inside it touch is in it as well. */
  readonly buffers: number;
  readonly ms: number;
}

export async function resetStatements(admin: pg.Client): Promise<void> {
  await admin.query('select pg_stat_statements_reset()');
}

/** What was counted in the connection's own database since the reset. */
export async function readStatements(admin: pg.Client): Promise<Statement[]> {
  const { rows } = await admin.query<Statement>(
    `select query, toplevel, calls::int, (shared_blks_hit + shared_blks_read)::int as buffers, total_exec_time as ms
     from pg_stat_statements s join pg_database d on d.oid = s.dbid
     where d.datname = current_database() and query !~ 'pg_stat_statements'
     order by buffers desc`,
  );
  return rows;
}

/** Inserts that tell of a claim, as their own statements inside it: no function below them, so nothing is counted twice. */
const TOLD = {
  events: /^\s*insert into stream_events\b/i,
  audit: /^\s*insert into (access_log|payload_grants)\b/i,
} as const;

export interface Split {
  /** Everything but what is told apart below. */
  readonly alone: number;
  readonly events: number;
  readonly audit: number;
  readonly ms: number;
}

/** Buffers a claim: the call's own, without the inserts of events and of the audit trail. */
export function splitOf(statements: readonly Statement[], claims: number): Split {
  const sum = (of: readonly Statement[]) => of.reduce((total, { buffers }) => total + buffers, 0) / claims;
  const top = statements.filter(({ toplevel, query }) => toplevel && /app\.serve|app\.claim/.test(query));
  const events = sum(statements.filter(({ query }) => TOLD.events.test(query)));
  const audit = sum(statements.filter(({ query }) => TOLD.audit.test(query)));
  const ms = top.reduce((total, statement) => total + statement.ms, 0) / claims;
  return { alone: sum(top) - events - audit, events, audit, ms };
}

/** The statements of a claim, most buffers first: for whoever tunes them. */
export function explainStatements(statements: readonly Statement[], claims: number): string {
  const lines = statements
    .slice(0, 40)
    .map(({ query, toplevel, calls, buffers, ms }) =>
      [
        (calls / claims).toFixed(2).padStart(7),
        (buffers / claims).toFixed(1).padStart(8),
        (buffers / calls).toFixed(1).padStart(8),
        ((ms * 1000) / claims).toFixed(0).padStart(7),
        ` ${toplevel ? '' : '· '}${query.replace(/\s+/g, ' ').trim().slice(0, 130)}`,
      ].join(' '),
    );
  return ['  calls  buffers     each      µs  (a claim)', ...lines].join('\n');
}
