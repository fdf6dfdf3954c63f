import { type Asker, scopeOf } from '../access/viewer.js';
import { appendEvents, type NewEvent } from '../events/events.sql.js';
import { projectForecasts, projectRisk } from '../events/streams.js';
import { type Database, type Tx, withScope, withSystem } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import { foresee, type Sources } from './capacity/foresee.js';
import { supplyOf } from './capacity/supply.js';
import type { Forecast } from './forecast.js';
import { closeDone, type Demand, demandOf, foldTasks, storeForecasts } from './forecast.sql.js';
import { historiesOf } from './history/history.js';
import { keepForecasts } from './history/keep.js';
import { followPolicies } from './lift.js';
import { endedLately } from './pace.js';
import { DEFAULT_POLICY, onTrackFrom, policiesOf, type RiskPolicy } from './policy.js';
import { clearCancelled, type ProjectName, risksOf, takeGone, tryRiskTurn } from './risk.sql.js';
import { type BatchRisk, projectRisks } from './shown.sql.js';
import { isNews, toldOf } from './told.js';

/**
 * Whether a batch is at risk now: below the threshold, and then until it is well above. Where nothing can be said (no
 * evidence yet) it stays as it was; finished work and work without a deadline never is.
 */
export function isAtRisk(
  wasAtRisk: boolean,
  {
    remainingAnswers,
    deadline,
    probabilityOnTime,
  }: Pick<Forecast, 'remainingAnswers' | 'deadline' | 'probabilityOnTime'>,
  threshold: number = DEFAULT_POLICY.threshold,
): boolean {
  if (remainingAnswers === 0 || deadline === null) {
    return false;
  }
  if (probabilityOnTime === null) {
    return wasAtRisk;
  }
  return probabilityOnTime < (wasAtRisk ? onTrackFrom(threshold) : threshold);
}

/** Changes of tasks that are folded in one transaction, and at most so many times before others have their turn. */
const FOLDED = { rows: 20_000, times: 10 } as const;

/** Takes what has changed of tasks into what is kept of them: which batches are open, and what is left of them. */
export async function foldWork(db: Database): Promise<void> {
  for (let time = 0; time < FOLDED.times; time += 1) {
    const folded = await retrying(() => withSystem(db, (tx) => foldTasks(tx, FOLDED.rows)));
    if (folded < FOLDED.rows) {
      return;
    }
  }
}

/**
 * Forecasts the open batches of some projects anew and stores them; where a batch came to be at risk or no longer is, an
 * event is written with it. Busy: another node is at a forecast just now.
 */
export async function judgeProjects(
  db: Database,
  projects: readonly ProjectName[],
): Promise<'done' | 'busy'> {
  await foldWork(db);
  return retrying(() =>
    withSystem(db, async (tx) => ((await tryRiskTurn(tx)) ? judgeAll(tx, { db, projects }) : 'busy')),
  );
}

/** Ends the forecasts of what is gone, and tells so whoever watches them. */
export const closeGone = (db: Database): Promise<void> =>
  retrying(() =>
    withSystem(db, async (tx) => {
      const closed = await takeGone(tx);
      if (closed.length > 0) {
        await appendEvents(tx, closed.map(computed));
      }
    }),
  );

async function judgeAll(
  tx: Tx,
  { db, projects }: { db: Database; projects: readonly ProjectName[] },
): Promise<'done'> {
  const policies = await policiesOf(tx, projects);
  const sources = { db: tx, supply: supplyOf(db) };
  const judged = await judge(sources, await demandOf(tx, { projects }), policies);
  const toTell = newsOf(judged);
  const rows = judged.map(({ demand, forecast, seconds, left, capacity, atRisk }) => ({
    ...demand,
    ...forecast,
    left,
    capacity,
    seconds: seconds === null ? null : Array.from(seconds),
    atRisk,
    news: toTell.has(demand.projectId) ? toldOf(forecast) : null,
  }));
  const ends = new Map(
    (await storeForecasts(tx, rows)).map(({ batchId, firstEndedAt }) => [batchId, firstEndedAt]),
  );
  await keepForecasts(
    tx,
    rows.map((row) => ({ ...row, firstEndedAt: ends.get(row.batchId) ?? null })),
  );
  const done = rows.filter(isDone);
  if (done.length > 0) {
    await closeDone(tx, done);
  }
  const cleared = await clearCancelled(tx, projects);
  const events = [
    ...[...toTell.values()].map(computed),
    ...judged
      .filter(({ atRisk, demand }) => atRisk !== demand.wasAtRisk)
      .map(({ demand, forecast, atRisk }) => riskEvent({ ...demand, atRisk, forecast })),
    ...cleared.map((one) => riskEvent({ ...one, atRisk: false, forecast: null })),
  ];
  if (events.length > 0) {
    await appendEvents(tx, events);
  }
  await followPolicies(tx, await risksOf(tx, projects), policies);
  return 'done';
}

/** Nothing of it is open, as far as the figures go. */
const isDone = ({ remaining, tally }: Demand): boolean =>
  remaining === 0 && tally.every(([, state]) => state !== 'OPEN');

async function judge(
  sources: Omit<Sources, 'histories'>,
  demands: readonly Demand[],
  policies: ReadonlyMap<bigint, RiskPolicy>,
) {
  const histories = await historiesOf(sources.db, demands);
  const rest = await endedLately(sources.db, demands);
  const foreseen = await foresee({ ...sources, histories, rest }, demands);
  return demands.flatMap((demand) => {
    const one = foreseen.get(demand.batchId);
    const threshold = policies.get(demand.projectId)?.threshold;
    return one === undefined
      ? []
      : [{ demand, ...one, atRisk: isAtRisk(demand.wasAtRisk, one.forecast, threshold) }];
  });
}

export type { BatchRisk };

/** The risk of the batches of a project as last judged, as far as the viewer may see it: of those that are open or at risk, and the latest. */
export function risksOfProject(db: Database, viewer: Asker, projectId: bigint): Promise<BatchRisk[]> {
  return withScope(db, scopeOf(viewer), (tx) => projectRisks(tx, projectId));
}

/** Projects of whose batches there is news, by a batch of each: who watches reads all of them anyway. */
const newsOf = (judged: readonly { demand: Demand; forecast: Forecast }[]): Map<bigint, Demand> =>
  new Map(
    judged
      .filter(({ demand, forecast }) => isNews(demand, forecast))
      .map(({ demand }) => [demand.projectId, demand]),
  );

const computed = ({
  tenantId,
  projectId,
  customerId,
}: Pick<Demand, 'tenantId' | 'projectId' | 'customerId'>): NewEvent => ({
  tenantId,
  stream: projectForecasts(projectId),
  kind: 'COMPUTED',
  body: {},
  customerId,
  expertId: null,
});

interface RiskNews extends ProjectName {
  readonly batchId: bigint;
  readonly customerId: bigint;
  readonly atRisk: boolean;
  readonly now: Date;
  /** Null where the project was cancelled. */
  readonly forecast: Forecast | null;
}

function riskEvent({ tenantId, projectId, batchId, customerId, atRisk, now, forecast }: RiskNews): NewEvent {
  const body = {
    batchId: String(batchId),
    atRisk,
    probabilityOnTime: forecast?.probabilityOnTime ?? null,
    expectedDoneAt: forecast?.expectedDoneAt ?? null,
    deadline: forecast?.deadline ?? null,
    computedAt: now,
    fixes: forecast?.capacity?.fixes ?? null,
  };
  const stream = projectRisk(projectId);
  return { tenantId, stream, kind: atRisk ? 'AT_RISK' : 'ON_TRACK', body, customerId, expertId: null };
}
