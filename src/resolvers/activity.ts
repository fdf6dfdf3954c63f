import type { Context } from '../context.js';
import { type Activity, activityOf } from '../services/routing/activity.js';
import { badInput } from './api-errors.js';

/** How far one may look back, in seconds. */
const LOOK = { least: 10, most: 600 } as const;

/** @throws BAD_USER_INPUT for a time out of range */
export function activity(seconds: number, { app, asker }: Context): Promise<Activity> {
  if (seconds < LOOK.least || seconds > LOOK.most) {
    throw badInput(`\`lastSeconds\` must be from ${LOOK.least} to ${LOOK.most}.`);
  }
  return activityOf(app.db, asker, seconds);
}
