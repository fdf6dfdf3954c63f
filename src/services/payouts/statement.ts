import type { Viewer } from '../access/viewer.js';
import { scopeOf } from '../access/viewer.js';
import type { Position, StreamName } from '../events/stream-types.js';
import { type Database, withScope, withService, withSystem } from '../platform/database.js';
import * as sql from './payouts.sql.js';

export interface StatementLine {
  readonly payoutId: bigint;
  readonly assignmentId: bigint;
  readonly projectId: bigint;
  readonly kind: 'EARNING' | 'REVERSAL';
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly at: Date;
}

export interface Statement {
  /** What is owed to the expert now, a currency each; includes lines that are not numbered yet. */
  readonly balances: readonly { readonly currency: string; readonly balanceMinor: bigint }[];
  /** Newest first. */
  readonly lines: readonly StatementLine[];
}

export interface StatementPage {
  /** At most this many lines. */
  readonly limit: number;
  /** Only lines before this payout. */
  readonly before?: bigint | null;
  readonly currency?: string | null;
}

/** An expert's own earnings: each amount with the assignment that it comes from, and the balance to the cent. */
export async function statement(db: Database, viewer: Viewer, page: StatementPage): Promise<Statement> {
  const { tenantId, expertId } = viewer;
  if (expertId === null) {
    throw new Error(`A ${viewer.role} has no earnings`);
  }
  // Lines that wait for their number stand in the outbox, which no viewer's scope shows: the owner is named instead.
  const balances = await withService(db, { tenantId, actorId: viewer.identityId }, (tx) =>
    sql.balances(tx, { tenantId, kind: 'EXPERT', id: expertId }),
  );
  const rows = await withScope(db, scopeOf(viewer), (tx) =>
    tx.payout.findMany({
      where: {
        tenantId,
        expertId,
        ...(page.before ? { id: { lt: page.before } } : {}),
        ...(page.currency ? { currency: page.currency } : {}),
      },
      orderBy: { id: 'desc' },
      take: page.limit,
    }),
  );
  const lines = rows.map((row) => ({
    payoutId: row.id,
    assignmentId: row.assignmentId,
    projectId: row.projectId,
    kind: row.kind as StatementLine['kind'],
    amountMinor: row.amountMinor,
    currency: row.currency,
    at: row.createdAt,
  }));
  return { balances: page.currency ? balances.filter((b) => b.currency === page.currency) : balances, lines };
}

/** What was booked in one currency. */
export interface Booked {
  readonly currency: string;
  /** Less what was taken back. */
  readonly amountMinor: bigint;
  /** Answers that were paid. */
  readonly answers: bigint;
}

/** What was booked for the expert who asks from an instant on, a currency each. */
export function bookedSince(db: Database, viewer: Viewer, since: Date): Promise<Booked[]> {
  const { tenantId, expertId } = viewer;
  if (expertId === null) {
    throw new Error(`A ${viewer.role} has no earnings`);
  }
  return withScope(db, scopeOf(viewer), (tx) => sql.bookedSince(tx, { tenantId, expertId, since }));
}

export interface Spend {
  readonly projectId: bigint;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** Answers paid for. */
  readonly answers: bigint;
}

/** What the viewer's projects (or one of them) have cost so far, by project and currency. */
export function spend(db: Database, viewer: Viewer, filter: { projectId?: bigint | null }): Promise<Spend[]> {
  return withScope(db, scopeOf(viewer), (tx) =>
    sql.spend(tx, { tenantId: viewer.tenantId, projectId: filter.projectId ?? null }),
  );
}

/**
 * What an expert is owed, a currency each, by what has been told of their account up to a position of its stream. Whoever asks has
 * looked first whether the viewer may know.
 */
export const toldBalances = (db: Database, told: StreamName & Position & { expertId: bigint }) =>
  withSystem(db, (tx) => sql.toldBalances(tx, told));
