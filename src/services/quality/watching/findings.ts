import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { NotFoundError } from '../../access/errors.js';
import { checkedReason } from '../../access/profile.js';
import { scopeOf, type Viewer } from '../../access/viewer.js';
import { callHot, type Database, withScope, withService } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import { refuseExperts } from '../gold/access.js';
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

const Answer = z.object({ outcome: z.enum(['OK', 'NO_FINDING', 'NO_EXPERT', 'NO_SKILL']) });

/**
 * Decides about a finding, for good: it means nothing, or an expert is paused because of it, in the same transaction.
 * @throws NotFoundError, InputInvalidError, ForbiddenError
 */
export async function decideFinding(
  db: Database,
  viewer: Viewer,
  { findingId, reason, made }: { findingId: bigint; reason: string; made: FindingDecision },
): Promise<void> {
  const { tenantId, identityId } = viewer;
  const text = checkedReason(reason);
  await withService(db, { tenantId, actorId: identityId }, (tx) => refuseExperts(tx, viewer));
  const { expertId, withdraw } = made.decision === 'PAUSED' ? made : { expertId: null, withdraw: false };
  const query = Prisma.sql`
    select app.decide_finding(${tenantId}::bigint, ${identityId}::bigint, ${findingId}::bigint, ${made.decision}::text,
      ${expertId}::bigint, ${text}::text, ${withdraw}::boolean)`;
  const { outcome } = Answer.parse(await retrying(() => callHot(db, 'decide_finding', query)));
  if (outcome !== 'OK') {
    throw new NotFoundError(
      { NO_FINDING: 'finding', NO_EXPERT: 'expert of the finding', NO_SKILL: 'skill of the expert' }[outcome],
    );
  }
}
