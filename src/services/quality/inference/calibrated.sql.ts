import { Prisma } from '../../../generated/prisma/client.js';

/**
 * Drawn tasks that a calibration rests on at least: of fifty the share that is right is known to within .08 where nine in ten are (half of the
 * 95 % interval, 1.96 √(.09 / 50)), and to within .14 wherever it is. On ten, which choose a method, it is .19 and .31, and a
 * calibration could be anything.
 */
export const CALIBRATED_TASKS_MIN = 50;

/** Whether what a version `i` of a method states is held to truths that were drawn, and to enough of them. Not where there is none. */
export const isCalibrated = Prisma.sql`coalesce(i.reason = 'CHOSEN_ON_GOLD' and i.drawn and i.gold_tasks >= ${CALIBRATED_TASKS_MIN}, false)`;
