import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { NotFoundError } from '../../access/errors.js';
import { checkedWords } from '../../access/profile.js';
import { scopeOf, type Viewer } from '../../access/viewer.js';
import { callHot, type Database, type Tx, withScope, withService } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import type { Dimension } from '../../tasks/task-types.js';
import { FindingDismissedError } from '../errors.js';
import { refuseExperts } from '../gold/access.js';
import { classDimension, refreshPool } from '../gold/golds.js';
import * as sql from './findings.sql.js';
import { type Figure, figuresOf, summaryOf } from './words.js';

/** What the watch found of gold or of experts, in words and numbers, and what became of it. */
export interface Finding extends sql.FindingRow {
  readonly summary: string;
  readonly figures: readonly Figure[];
}

export type { FindingFilter } from './findings.sql.js';
export const FINDING_KINDS = sql.FINDING_KINDS;

const told = (row: sql.FindingRow): Finding => ({ ...row, summary: summaryOf(row), figures: figuresOf(row) });

/**
 * Findings, newest first; nothing where the viewer's scope shows none.
 * @throws ForbiddenError for who may act as an expert too
 */
export const findingsOf = (
  db: Database,
  viewer: Viewer,
  { filter, page }: { filter: sql.FindingFilter; page: { take: number; afterId: bigint | null } },
): Promise<Finding[]> =>
  withScope(db, scopeOf(viewer), async (tx) => {
    await refuseExperts(tx, viewer);
    return (await sql.findingPage(tx, filter, page)).map(told);
  });

/** One finding that the viewer's scope shows, or null. @throws ForbiddenError for who may act as an expert too */
export const findingOf = (db: Database, viewer: Viewer, id: bigint): Promise<Finding | null> =>
  withScope(db, scopeOf(viewer), async (tx) => {
    await refuseExperts(tx, viewer);
    const row = await sql.findingById(tx, id);
    return row === null ? null : told(row);
  });

/** What is decided about a finding, and why. */
export type FindingDecision =
  | { readonly decision: 'DISMISSED' }
  /** The expert, whom the finding names, is paused for the skill of its project; `withdraw` ends what they hold. */
  | { readonly decision: 'PAUSED'; readonly expertId: bigint; readonly withdraw: boolean };

const Answer = z.object({
  outcome: z.enum(['OK', 'NO_FINDING', 'NO_EXPERT', 'NO_SKILL', 'DISMISSED']),
  kind: z.enum(sql.FINDING_KINDS).optional(),
  goldResumed: z.boolean().default(false),
  goldStays: z.boolean().default(false),
  resultsRestored: z.int().default(0),
  pausesLifted: z.int().default(0),
});

/** What a dismissal took back of what followed from its finding, and what it left. */
export interface Undone {
  readonly goldResumed: boolean;
  /** Gradings that count again at once; of who adjudicated much the job `watch` takes up the rest. */
  readonly resultsRestored: number;
  readonly pausesLifted: number;
  /** What stays as it is, and why; null: nothing. */
  readonly remains: string | null;
}

const GOLD_STAYS =
  'Gold that was retired because of it stays retired: whoever knew it, or was thought to, may have told its answer.';

const GOLD_STAYS_SUSPENDED =
  'The gold stays suspended: another one has been given with the same payload since.';

/**
 * Decides about a finding, for good: it means nothing, and what followed from it by itself is taken back (app.undo_finding, app.take_up); or an
 * expert is paused because of it, and what they have adjudicated grades nobody (app.set_aside). In one transaction.
 * @throws NotFoundError, InputInvalidError, ForbiddenError; FindingDismissedError for a pause because of what means nothing
 */
export async function decideFinding(
  db: Database,
  viewer: Viewer,
  { findingId, reason, made }: { findingId: bigint; reason: string; made: FindingDecision },
): Promise<Undone> {
  const { tenantId, identityId } = viewer;
  const text = checkedWords(reason);
  await withService(db, { tenantId, actorId: identityId }, (tx) => refuseExperts(tx, viewer));
  const { expertId, withdraw } = made.decision === 'PAUSED' ? made : { expertId: null, withdraw: false };
  const query = Prisma.sql`
    select app.decide_finding(${tenantId}::bigint, ${identityId}::bigint, ${findingId}::bigint, ${made.decision}::text,
      ${expertId}::bigint, ${text}::text, ${withdraw}::boolean)`;
  const { outcome, kind, goldStays, ...undone } = Answer.parse(
    await retrying(() => callHot(db, 'decide_finding', query)),
  );
  if (outcome === 'DISMISSED') {
    throw new FindingDismissedError();
  }
  if (outcome !== 'OK') {
    throw new NotFoundError(
      { NO_FINDING: 'finding', NO_EXPERT: 'expert of the finding', NO_SKILL: 'skill of the expert' }[outcome],
    );
  }
  if (undone.goldResumed) {
    await withService(db, { tenantId, actorId: identityId }, (tx) => giveAgain(tx, { tenantId, findingId }));
  }
  const isRetired = made.decision === 'DISMISSED' && (kind === 'LEAKED' || kind === 'QUICK_ON_GOLD');
  return { ...undone, remains: isRetired ? GOLD_STAYS : goldStays ? GOLD_STAYS_SUSPENDED : null };
}

/** Claims are given gold by what is kept of a project's pool. */
async function giveAgain(tx: Tx, finding: { tenantId: bigint; findingId: bigint }): Promise<void> {
  const { projectId, dimensions } = await sql.placeOf(tx, finding);
  const dimension = classDimension(JSON.parse(dimensions) as Dimension[]);
  await refreshPool(tx, { tenantId: finding.tenantId, projectId }, dimension);
}
