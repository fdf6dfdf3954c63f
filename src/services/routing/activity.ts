import { scopeOf, type Viewer } from '../access/viewer.js';
import { type Database, withScope } from '../platform/database.js';
import { isAlsoExpert } from '../quality/gold/access.js';
import * as sql from './activity.sql.js';

/** What an activity may be, in the order in which work goes. */
export const { ACTIVITY_KINDS } = sql;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** How often something happened. */
export interface ActivityFigure {
  readonly kind: ActivityKind;
  readonly count: number;
  /** The same by twelfths of the time, the oldest first. */
  readonly parts: readonly number[];
}

export type Happening = sql.ActivityRow['latest'][number];

/** What has gone on in a tenant of late. */
export interface Activity {
  /** The database's time, up to which it was looked. */
  readonly now: Date;
  readonly seconds: number;
  readonly figures: readonly ActivityFigure[];
  /** Of the results of gold, those that were right; null for who may not know of gold. */
  readonly goldRight: number | null;
  readonly paid: readonly { readonly currency: string; readonly minor: bigint }[];
  /** The newest first. */
  readonly latest: readonly Happening[];
}

/**
 * What has gone on in the viewer's tenant in the last seconds: of its 200 newest running projects, the last 1,000 events of each, and
 * of all the last 3,000 payouts and results. Whoever may act as an expert too is told nothing of gold (semantics 14).
 */
export const activityOf = (db: Database, viewer: Viewer, seconds: number): Promise<Activity> =>
  withScope(db, scopeOf(viewer), async (tx) => {
    const withoutGold = await isAlsoExpert(tx, viewer);
    const { now, counts, right, paid, latest } = await sql.activity(tx, { seconds, withoutGold });
    const kinds = ACTIVITY_KINDS.filter((kind) => !(withoutGold && kind === 'GOLD_RESULT'));
    const figures = kinds.map((kind) => figureOf(kind, counts));
    return { now, seconds, figures, goldRight: withoutGold ? null : right, paid, latest };
  });

function figureOf(kind: ActivityKind, counts: sql.ActivityRow['counts']): ActivityFigure {
  const parts = Array.from({ length: sql.PARTS }, () => 0);
  for (const { part, count } of counts.filter((one) => one.kind === kind)) {
    parts[part] = count;
  }
  return { kind, count: parts.reduce((sum, count) => sum + count, 0), parts };
}
