import type { Queryable } from '../../platform/rows.js';
import * as sql from './expert-quality.sql.js';

export type SkillScore = sql.ScoreRow;
export type Calibration = sql.CalibrationRow;
export type Standing = sql.StandingRow;
export type Notice = sql.NoticeRow;
export type HumanPause = sql.HumanPauseRow;

/** The latest score of each skill and task type that the scope shows; of a skill as a whole where the task type is 0. */
export const scoresOf = (db: Queryable, expertId: bigint): Promise<SkillScore[]> =>
  sql.scoresOf(db, expertId);

/** Names a row of {@link scoreHistory}. */
export type ScoreKey = sql.ScoreKey;

/** Scores day by day, the latest first, behind one of them or from the last. */
export const scoreHistory = (
  db: Queryable,
  expertId: bigint,
  page: { take: number; after: ScoreKey | null },
): Promise<SkillScore[]> => sql.scoreHistory(db, expertId, page);

/** How well stated confidence fits, as of the last day that the scope shows. */
export const calibrationOf = (db: Queryable, expertId: bigint): Promise<Calibration | null> =>
  sql.calibrationOf(db, expertId);

/** Where the expert stands in each skill: as it was decided; to experts as it is in effect, where it ever changed. */
export const standingsOf = (db: Queryable, expertId: bigint): Promise<Standing[]> =>
  sql.standingsOf(db, expertId);

/** Changes of standing, the latest first. */
export const noticesOf = (db: Queryable, expertId: bigint, limit: number): Promise<Notice[]> =>
  sql.noticesOf(db, expertId, limit);

/** Pauses that humans set, the latest first; to experts those whose reason was written for them. */
export const humanPausesOf = (db: Queryable, expertId: bigint, limit: number): Promise<HumanPause[]> =>
  sql.humanPausesOf(db, expertId, limit);

/** The figures of a skill that the scope shows, else what a human vouched for. */
export interface ShownQuality {
  readonly expertId: bigint;
  readonly skillId: bigint;
  readonly mean: number;
  readonly lower: number;
}

/** What is shown of the quality of experts in their skills: to themselves the state that they were shown last (rule 10), to staff as it is. */
export const shownQualities = (db: Queryable, expertIds: readonly bigint[]): Promise<ShownQuality[]> =>
  sql.shownQualities(db, expertIds);

/** Skills in which every bar keeps the expert out, as is in effect: they are tried again within 1 to 30 days. */
export const skillsBelowBars = (db: Queryable, expertId: bigint): Promise<{ skillId: bigint }[]> =>
  sql.skillsBelowBars(db, expertId);
