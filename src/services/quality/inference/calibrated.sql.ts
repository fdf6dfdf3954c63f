import { Prisma } from '../../../generated/prisma/client.js';

/**
 * Tasks that a calibration rests on at least, drawn or given: of fifty the share that is right is known to within .08 where nine in ten are (half of the
 * 95 % interval, 1.96 √(.09 / 50)), and to within .14 wherever it is. On ten, which choose a method, it is .19 and .31, and a
 * calibration could be anything.
 */
export const CALIBRATED_TASKS_MIN = 50;

/**
 * Whether what a version `i` of a method states is held to truths that nothing of how sure it was chose, and to enough of them: to tasks that were drawn, or
 * to gold that somebody gave, each fifty by itself. Where both are fewer they are fitted on together and are a sample of nothing. `drawn` is false
 * where too many of the draws wait for a budget: those are the ones at odds. Not where there is no version.
 */
export const isCalibrated = Prisma.sql`coalesce(i.reason = 'CHOSEN_ON_GOLD' and i.drawn
  and (i.drawn_tasks >= ${CALIBRATED_TASKS_MIN} or i.gold_tasks - i.drawn_tasks >= ${CALIBRATED_TASKS_MIN}), false)`;
