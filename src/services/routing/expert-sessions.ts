import { type Database, withSystem } from '../platform/database.js';
import { pgQueryable } from '../platform/pg-queryable.js';
import { retrying } from '../platform/retry.js';
import { sqlState } from '../platform/sqlstate.js';
import * as sql from './expert-sessions.sql.js';

export type { ExpertSession, Over, SessionFilter } from './expert-sessions.sql.js';
export { sessionPage } from './expert-sessions.sql.js';

/** How an expert is connected to one node. */
export interface Told {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly sockets: number;
  readonly streams: number;
  /** Since they came first of what was not told yet; of somebody who was told to be there, as `changedSeconds` was then. */
  readonly cameSeconds: number;
  /** Since the first of them came; with none, since the last one went. */
  readonly changedSeconds: number;
  /** Whether the last one took its leave; otherwise it was lost. */
  readonly goodbye: boolean;
  /** Losses that were over before they could be told: when, in seconds ago. */
  readonly blips: readonly { readonly lost: number; readonly back: number }[];
}

/** What could not be told of an expert, and will not be told again. */
export interface Refused {
  readonly told: Told;
  readonly error: unknown;
}

/** What came of telling. Unknown: the node was taken for dead, and has to tell of all of its connections again. */
export type Said =
  | { readonly known: true; readonly over: readonly sql.Over[]; readonly refused: readonly Refused[] }
  | { readonly known: false };

/**
 * Says that a node lives, and how things stand with some experts on it. That it lives is a transaction of its own: it stands
 * whatever becomes of the rest. What the database refuses of several is told one by one, so that one of them keeps back no other.
 */
export async function sayConnected(db: Database, node: string, told: readonly Told[]): Promise<Said> {
  if (!(await withSystem(db, (tx) => sql.beatNode(tx, node)))) {
    return { known: false };
  }
  return told.length === 0 ? { known: true, over: [], refused: [] } : tell(db, node, told);
}

async function tell(db: Database, node: string, told: readonly Told[]): Promise<Said> {
  try {
    const over = await tellAtOnce(db, node, told);
    return over === null ? { known: false } : { known: true, over, refused: [] };
  } catch (error) {
    if (!isRefusal(error)) {
      throw error;
    }
    return told.length === 1
      ? { known: true, over: [], refused: told.map((one) => ({ told: one, error })) }
      : tellEach(db, node, told);
  }
}

async function tellEach(db: Database, node: string, told: readonly Told[]): Promise<Said> {
  const over: sql.Over[] = [];
  const refused: Refused[] = [];
  for (const one of told) {
    const said = await tell(db, node, [one]);
    if (!said.known) {
      return said;
    }
    over.push(...said.over);
    refused.push(...said.refused);
  }
  return { known: true, over, refused };
}

/** Null: the node is not known any more. */
const tellAtOnce = (db: Database, node: string, told: readonly Told[]): Promise<sql.Over[] | null> =>
  retrying(() =>
    withSystem(db, async (tx) =>
      (await sql.holdNode(tx, node)) ? sql.tellSessions(tx, node, told.map(rowOf)) : null,
    ),
  );

const rowOf = ({ tenantId, expertId, cameSeconds, changedSeconds, ...rest }: Told) => ({
  tenant: String(tenantId),
  expert: String(expertId),
  came: cameSeconds,
  changed: changedSeconds,
  ...rest,
});

/** Bad data or a broken constraint: it would be so the next time, too. */
const isRefusal = (error: unknown): boolean => /^2[23]/.test(sqlState(error) ?? '');

/** Takes away what dead nodes have left; returns the interruptions that are over. */
export const sweepNodes = (db: Database, node: string): Promise<sql.Over[]> =>
  retrying(() => withSystem(db, (tx) => sql.sweepNodes(tx, node)));

/** Forgets a node that stops: it has told that nobody is on it. */
export const forgetNode = (db: Database, node: string): Promise<void> =>
  withSystem(db, (tx) => sql.forgetNode(tx, node));

/** How many experts are connected, of all tenants and nodes, for metrics. */
export const readConnected = ({ systemPool }: Database): Promise<number> =>
  sql.countConnected(pgQueryable(systemPool));

const INTERRUPTIONS_A_STEP = 5_000;

/**
 * Takes away the interruptions that are older than thirty days, by transactions of 5,000; between them `goOn` says whether
 * there is still time. Returns how many.
 */
export async function clearInterruptions(db: Database, goOn: () => boolean): Promise<number> {
  let gone = 0;
  for (let some = INTERRUPTIONS_A_STEP; some === INTERRUPTIONS_A_STEP && goOn(); gone += some) {
    some = await withSystem(db, (tx) => sql.dropInterruptions(tx, INTERRUPTIONS_A_STEP));
  }
  return gone;
}
