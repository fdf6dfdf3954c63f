import type { Tx } from '../platform/database.js';
import { type Demand, demandOf, type StoredForecast, storedForecasts } from './forecast.sql.js';
import { type Progress, probabilityWithin } from './probability.js';

/** When work will be done, as far as the present rate tells. */
export interface Forecast {
  /** A rate is all that this knows. */
  readonly confidence: 'LOW';
  readonly remainingAnswers: number;
  readonly answersPerHour: number;
  /** Null while nothing was answered of late, and beyond ten years. Of finished work: when it was finished. */
  readonly expectedDoneAt: Date | null;
  readonly deadline: Date | null;
  /** Null without a deadline, and while there is too little to judge by. */
  readonly probabilityOnTime: number | null;
  readonly computedAt: Date;
}

/** A stored forecast that is older is not given out any more. */
const STALE_SECONDS = 60;
const FAR_SECONDS = 10 * 365 * 86_400;
/** Too little to judge by: neither this many answers nor this long a look (or as long as what is left). */
const EVIDENCE_ANSWERS = 5;
const EVIDENCE_SECONDS = 60;

/** The forecast of one batch, {@link forecastsOf}. */
export async function forecastOf(tx: Tx, batchId: bigint): Promise<Forecast | null> {
  return (await forecastsOf(tx, [batchId])).get(batchId) ?? null;
}

/**
 * Forecasts of batches that the scope may see: as stored by the risk job, or computed where that is missing or stale.
 * None for a batch that is not open, or whose project is cancelled.
 */
export async function forecastsOf(tx: Tx, batchIds: readonly bigint[]): Promise<Map<bigint, Forecast>> {
  const stored = await storedForecasts(tx, { batchIds, maxAgeSeconds: STALE_SECONDS });
  // That nothing comes in is said of the present moment, or not at all.
  const telling = stored.filter(
    ({ expectedDoneAt, remaining }) => expectedDoneAt !== null || remaining === 0,
  );
  const found = new Map(telling.map((row) => [row.batchId, fromStored(row)]));
  const missing = batchIds.filter((id) => !found.has(id));
  if (missing.length > 0) {
    for (const demand of await demandOf(tx, { batchIds: missing })) {
      found.set(demand.batchId, computeForecast(demand));
    }
  }
  return found;
}

/** The open batches of each project taken together: done when the last is, on time only if all are. */
export async function projectForecastsOf(
  tx: Tx,
  projectIds: readonly bigint[],
): Promise<Map<bigint, Forecast | null>> {
  const where = { projectId: { in: [...projectIds] }, state: 'OPEN' };
  const batches = await tx.batch.findMany({ where, select: { id: true, projectId: true } });
  const forecasts = await forecastsOf(
    tx,
    batches.map(({ id }) => id),
  );
  const of = (projectId: bigint) =>
    batches.flatMap((batch) => (batch.projectId === projectId ? (forecasts.get(batch.id) ?? []) : []));
  return new Map(projectIds.map((id) => [id, together(of(id))]));
}

/** What several forecasts say together; null where there is none. */
export function together(forecasts: readonly Forecast[]): Forecast | null {
  const unfinished = forecasts.filter(({ remainingAnswers }) => remainingAnswers > 0);
  const telling = unfinished.length > 0 ? unfinished : forecasts;
  if (telling.length === 0) {
    return null;
  }
  const chances = telling.flatMap(({ probabilityOnTime }) => probabilityOnTime ?? []);
  const ends = telling.map(({ expectedDoneAt }) => expectedDoneAt);
  const remainingAnswers = telling.reduce((sum, one) => sum + one.remainingAnswers, 0);
  const answersPerHour = telling.reduce((sum, one) => sum + one.answersPerHour, 0);
  const rate = { remaining: remainingAnswers, observed: answersPerHour, windowSeconds: 3_600 };
  const computedAt = new Date(Math.min(...telling.map((one) => one.computedAt.getTime())));
  return {
    confidence: 'LOW',
    remainingAnswers,
    answersPerHour,
    // One that nobody works on yet is done by whoever works on the others.
    expectedDoneAt: ends.includes(null) ? atPresentRate(rate, computedAt) : latest(ends),
    deadline: latest(telling.map(({ deadline }) => deadline)),
    // The batches of a project share their experts: they are late together rather than independently.
    probabilityOnTime: chances.length === 0 ? null : Math.min(...chances),
    computedAt,
  };
}

/** Computes a forecast from what is known, by simple arithmetic. */
export function computeForecast(
  known: Pick<Demand, 'remaining' | 'observed' | 'windowSeconds' | 'deadline' | 'lastAnswerAt' | 'now'>,
): Forecast {
  return {
    confidence: 'LOW',
    remainingAnswers: known.remaining,
    answersPerHour: (known.observed / known.windowSeconds) * 3_600,
    expectedDoneAt: known.remaining === 0 ? known.lastAnswerAt : atPresentRate(known, known.now),
    deadline: known.deadline,
    probabilityOnTime: known.deadline === null ? null : onTime(known, known.deadline),
    computedAt: known.now,
  };
}

function atPresentRate({ remaining, observed, windowSeconds }: Progress, now: Date): Date | null {
  const seconds = (remaining * windowSeconds) / observed;
  return seconds <= FAR_SECONDS ? new Date(now.getTime() + Math.round(seconds * 1000)) : null;
}

function onTime(known: Progress & { lastAnswerAt: Date | null; now: Date }, deadline: Date): number | null {
  if (known.remaining === 0) {
    return known.lastAnswerAt !== null && known.lastAnswerAt > deadline ? 0 : 1;
  }
  const secondsLeft = (deadline.getTime() - known.now.getTime()) / 1000;
  const canJudge =
    known.observed >= EVIDENCE_ANSWERS || known.windowSeconds >= Math.min(EVIDENCE_SECONDS, secondsLeft);
  return canJudge ? probabilityWithin(known, secondsLeft) : null;
}

function fromStored({ remaining, ...rest }: StoredForecast): Forecast {
  const { answersPerHour, expectedDoneAt, deadline, probabilityOnTime, computedAt } = rest;
  return {
    confidence: 'LOW',
    remainingAnswers: remaining,
    answersPerHour,
    expectedDoneAt,
    deadline,
    probabilityOnTime,
    computedAt,
  };
}

function latest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((best, date) => (best === null || (date !== null && date > best) ? date : best), null);
}
