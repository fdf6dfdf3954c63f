import { InputInvalidError, type InputIssue } from '../access/errors.js';
import type { Asker } from '../access/viewer.js';
import { type Database, type Tx, withServiceFor } from '../platform/database.js';
import { FairTurns } from '../platform/fair-turns.js';
import { foresee } from './capacity/foresee.js';
import { newcomers } from './capacity/newcomers.js';
import { supplyOf } from './capacity/supply.js';
import { type Forecast, theRestOf } from './forecast.js';
import { type Demand, demandOf } from './forecast.sql.js';
import { historiesOf } from './history/history.js';
import { together } from './together.js';

/** What is asked to be otherwise. */
export interface WhatIf {
  /** Experts more who can do the work, each so many hours a week; null: as many as those there are, by the median. */
  readonly extraExperts: readonly { readonly count: number; readonly hoursPerWeek: number | null }[];
  /** Open tasks that are cut. */
  readonly dropTasks: number;
  readonly deadline: Date | null;
}

/** A batch, or all open batches of a project. */
export type Asked = { readonly batchId: bigint } | { readonly projectId: bigint };

/** More experts are not asked about, nor so many kinds of them. */
const EXPERTS_MAX = 1_000;
const KINDS_MAX = 20;
const HOURS_A_WEEK = 168;

/**
 * The forecast as it would be. What the viewer may not see counts in it all the same (other projects want the same experts), so
 * whether they may see what is asked about is decided before. Null where nothing of it is open.
 * @throws InputInvalidError where a number is out of range, OverloadedError where too many wait for theirs, CancelledError once nobody waits for it
 */
export async function forecastWith(
  db: Database,
  viewer: Asker,
  { of, change }: { of: Asked; change: WhatIf },
): Promise<Forecast | null> {
  check(change);
  return inTurn(viewer, () => answered(db, viewer, { of, change }));
}

/** It is drawn for whoever asks, on the one thread: one at a time in a process, tenants by turns, and nobody holds a connection meanwhile. */
const turns = new FairTurns({ atOnce: 1, waitingMax: 8, retryAfterSeconds: 5 });

async function inTurn<T>({ tenantId, identityId, signal }: Asker, work: () => Promise<T>): Promise<T> {
  await turns.take({ tenantId, identityId, signal });
  try {
    return await work();
  } finally {
    turns.give();
  }
}

function answered(
  db: Database,
  viewer: Asker,
  { of, change }: { of: Asked; change: WhatIf },
): Promise<Forecast | null> {
  return withServiceFor(db, viewer, async (tx) => {
    const demands = await demandOf(tx, 'batchId' in of ? { batchIds: [of.batchId] } : of);
    const open = demands.filter(({ remaining }) => remaining > 0);
    const isAhead = open.every(({ now }) => change.deadline === null || change.deadline > now);
    refuse(isAhead ? [] : [{ path: '/with/deadline', message: 'Give a time that is still to come.' }]);
    return open.length === 0 ? null : asked(tx, { db, demands: open, change, signal: viewer.signal });
  });
}

interface Asking extends Pick<Asker, 'signal'> {
  readonly db: Database;
  readonly demands: readonly Demand[];
  readonly change: WhatIf;
}

async function asked(tx: Tx, { db, demands, change, signal }: Asking): Promise<Forecast | null> {
  const histories = await historiesOf(tx, demands);
  const keep = keptShare(demands, change.dropTasks);
  const rest = await theRestOf(tx, demands);
  const sources = { db: tx, supply: supplyOf(db), histories, rest, signal };
  const foreseen = await foresee(sources, demands, (workers) => ({
    keep,
    deadline: change.deadline,
    experts: change.extraExperts.flatMap((one) => newcomers(one, workers)),
  }));
  const all = [...foreseen.values()];
  return together(all.map(({ forecast }) => forecast));
}

function check({ extraExperts, dropTasks, deadline }: WhatIf): void {
  const experts = extraExperts.reduce((sum, { count }) => sum + count, 0);
  const rules: readonly (readonly [boolean, string, string])[] = [
    [
      extraExperts.length <= KINDS_MAX,
      '/with/extraExperts',
      `Give at most ${KINDS_MAX} kinds of extra experts.`,
    ],
    [
      extraExperts.every(({ count }) => count >= 1) && experts <= EXPERTS_MAX,
      '/with/extraExperts',
      `Give counts of at least 1, at most ${EXPERTS_MAX} together.`,
    ],
    [
      extraExperts.every(
        ({ hoursPerWeek }) => hoursPerWeek === null || (hoursPerWeek > 0 && hoursPerWeek <= HOURS_A_WEEK),
      ),
      '/with/extraExperts',
      `Give hours a week above 0, at most ${HOURS_A_WEEK}.`,
    ],
    [dropTasks >= 0, '/with/dropTasks', 'Give at least 0.'],
    [deadline === null || Number.isFinite(deadline.getTime()), '/with/deadline', 'Give a time.'],
  ];
  refuse(rules.filter(([ok]) => !ok).map(([, path, message]) => ({ path, message })));
}

function refuse(issues: readonly InputIssue[]): void {
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
}

/** The share of the tasks that stays. Some must. */
function keptShare(demands: readonly Demand[], dropTasks: number): number {
  const open = demands
    .flatMap(({ tally }) => tally)
    // As the tasks are counted whose cut would make a deadline (capacity/kept.ts): who adjudicates decides of those.
    .reduce((sum, [kind, state, , , tasks]) => sum + (kind === 'WORK' && state === 'OPEN' ? tasks : 0), 0);
  if (dropTasks > 0 && dropTasks >= open) {
    refuse([{ path: '/with/dropTasks', message: `Give less than the ${open} tasks that are open.` }]);
  }
  return 1 - dropTasks / Math.max(1, open);
}
