import type { Queryable } from '../platform/rows.js';
import * as sql from './progress.sql.js';

/** How far the work of one project or batch has come. */
export type Progress = sql.ProgressRow;

/** Why adjudications of a project wait: nobody may take so many of them. */
export type AdjudicationWait = sql.AdjudicationWait;

/** What a project or batch without tasks has to show. */
export const NO_PROGRESS: Omit<Progress, 'id'> = {
  tasksTotal: 0,
  tasksOpen: 0,
  tasksDone: 0,
  tasksFlagged: 0,
  tasksCancelled: 0,
  adjudications: 0,
  adjudicationsOpen: 0,
  answersWanted: 0,
  answersCounted: 0,
  leased: 0,
};

// Each answers what the scope shows; an id without anything to count has no row.

export const progressOfProjects = (db: Queryable, ids: readonly bigint[]) => sql.progressOfProjects(db, ids);
export const progressOfBatches = (db: Queryable, ids: readonly bigint[]) => sql.progressOfBatches(db, ids);
export const spendOfProjects = (db: Queryable, ids: readonly bigint[]) => sql.spendOfProjects(db, ids);
export const adjudicationsOfTasks = (db: Queryable, ids: readonly bigint[]) =>
  sql.adjudicationsOfTasks(db, ids);
export const adjudicatedByTasks = (db: Queryable, ids: readonly bigint[]) => sql.adjudicatedByTasks(db, ids);
export const waitsOfProjects = (db: Queryable, ids: readonly bigint[]) => sql.waitsOfProjects(db, ids);
export const flagsOfTasks = (db: Queryable, ids: readonly bigint[]) => sql.flagsOfTasks(db, ids);

/** The instant by the database's clock. */
export const databaseNow = (db: Queryable) => sql.databaseNow(db);
