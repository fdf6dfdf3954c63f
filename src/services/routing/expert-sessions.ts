import { type Database, withSystem } from '../platform/database.js';
import { pgQueryable } from '../platform/pg-queryable.js';
import { retrying } from '../platform/retry.js';
import * as sql from './expert-sessions.sql.js';

export type { ExpertSession, Over, SessionFilter } from './expert-sessions.sql.js';
export { sessionPage } from './expert-sessions.sql.js';

/** How an expert is connected to one node. */
export interface Told {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly sockets: number;
  readonly streams: number;
  /** Since the first of them came; with none, since the last one went. */
  readonly changedSeconds: number;
  /** Whether the last one took its leave; otherwise it was lost. */
  readonly goodbye: boolean;
  /** Losses that were over before they could be told: when, in seconds ago. */
  readonly blips: readonly { readonly lost: number; readonly back: number }[];
}

/** What is said of a node. Unknown: it was taken for dead, and has to tell of all of its connections again. */
export type Said = { readonly known: true; readonly over: readonly sql.Over[] } | { readonly known: false };

/** Says that a node lives and how things stand with some experts on it, and takes away what dead nodes have left. */
export function sayConnected(db: Database, node: string, told: readonly Told[]): Promise<Said> {
  const rows = told.map(({ tenantId, expertId, changedSeconds, ...rest }) => ({
    tenant: String(tenantId),
    expert: String(expertId),
    changed: changedSeconds,
    ...rest,
  }));
  return retrying(() =>
    withSystem(db, async (tx) => {
      if (!(await sql.beatNode(tx, node))) {
        return { known: false };
      }
      const over = rows.length === 0 ? [] : await sql.tellSessions(tx, node, rows);
      return { known: true, over: [...over, ...(await sql.sweepNodes(tx, node))] };
    }),
  );
}

/** Forgets a node that stops: it has told that nobody is on it. */
export const forgetNode = (db: Database, node: string): Promise<void> =>
  withSystem(db, (tx) => sql.forgetNode(tx, node));

/** How many experts are connected, of all tenants and nodes, for metrics. */
export const readConnected = ({ systemPool }: Database): Promise<number> =>
  sql.countConnected(pgQueryable(systemPool));

const INTERRUPTIONS_A_STEP = 5_000;

/** Takes away some of the interruptions that are older than thirty days. Returns how many. */
export const clearInterruptions = (db: Database): Promise<number> =>
  withSystem(db, (tx) => sql.dropInterruptions(tx, INTERRUPTIONS_A_STEP));
