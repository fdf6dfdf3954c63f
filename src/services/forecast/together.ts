import type { Tx } from '../platform/database.js';
import { after, confidenceOf, type Forecast, forecastsOf, medianOf } from './forecast.js';
import { keptOf } from './quantiles.js';
import { byRate } from './rate.js';

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
  const finished = Math.min(...telling.map((one) => one.finished));
  const doneBy = doneTogether(telling);
  return {
    confidence: telling.some(({ confidence }) => confidence === 'LOW') ? 'LOW' : confidenceOf(finished),
    finished,
    remainingAnswers: sum(telling, ({ remainingAnswers }) => remainingAnswers),
    answersPerHour: sum(telling, ({ answersPerHour }) => answersPerHour),
    expectedDoneAt:
      unfinished.length > 0 ? medianOf(doneBy) : latest(telling.map((one) => one.expectedDoneAt)),
    doneBy,
    deadline: latest(telling.map(({ deadline }) => deadline)),
    // The batches of a project share their experts: they are late together rather than independently.
    probabilityOnTime: chances.length === 0 ? null : Math.min(...chances),
    // Of the batch that holds it up.
    capacity: telling.reduce(later).capacity,
    computedAt: earliest(telling),
  };
}

/**
 * Quantile by quantile the latest, for they are late together. Where nothing can be said of one that nobody works on yet, it is
 * done by whoever works on the others, at their rate.
 */
function doneTogether(telling: readonly Forecast[]): readonly (Date | null)[] {
  const known = telling.map(({ doneBy }) => doneBy);
  if (known.every((doneBy) => doneBy.length > 0)) {
    return (known[0] ?? []).map((_, place) => latestOrNever(known.map((doneBy) => doneBy[place] ?? null)));
  }
  const remaining = sum(telling, ({ remainingAnswers }) => remainingAnswers);
  const observed = sum(telling, ({ answersPerHour }) => answersPerHour);
  if (remaining === 0 || observed === 0) {
    return [];
  }
  const seconds = keptOf(byRate({ remaining, observed, windowSeconds: 3_600 }));
  return Array.from(seconds, (of) => after(earliest(telling), of));
}

const sum = (forecasts: readonly Forecast[], of: (forecast: Forecast) => number): number =>
  forecasts.reduce((total, forecast) => total + of(forecast), 0);

/** Of two forecasts the less likely one to be in time, or the later one. */
function later(one: Forecast, other: Forecast): Forecast {
  const rank = ({ probabilityOnTime, remainingAnswers, expectedDoneAt }: Forecast) => [
    -(probabilityOnTime ?? 1),
    remainingAnswers === 0 ? 0 : (expectedDoneAt?.getTime() ?? Number.MAX_VALUE),
  ];
  const [[chance = 0, at = 0], [otherChance = 0, otherAt = 0]] = [rank(one), rank(other)];
  return otherChance > chance || (otherChance === chance && otherAt > at) ? other : one;
}

const earliest = (forecasts: readonly Forecast[]): Date =>
  new Date(Math.min(...forecasts.map(({ computedAt }) => computedAt.getTime())));

/** Null, which is never, is the latest of all. */
function latestOrNever(dates: readonly (Date | null)[]): Date | null {
  return dates.includes(null) ? null : latest(dates);
}

function latest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((best, date) => (best === null || (date !== null && date > best) ? date : best), null);
}
