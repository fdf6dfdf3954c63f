import type { Tx } from '../platform/database.js';
import { ofProject } from './capacity/of-project.js';
import type { StoredCapacity } from './capacity/stored.js';
import { after, confidenceOf, type Forecast, forecastsOf, medianOf } from './forecast.js';
import { leftUntil, pooled } from './pace.js';
import { chanceWithin, keptOf } from './quantiles.js';
import { byRate } from './rate.js';
import { OPEN_MAX, shownBatches, type WholeProject, wholeProjects } from './shown.sql.js';

/** The open batches of each project taken together: done when the last is, on time only if all are. */
export async function projectForecastsOf(
  tx: Tx,
  projectIds: readonly bigint[],
): Promise<Map<bigint, Forecast | null>> {
  const all = await forecastsIn(tx, projectIds);
  return new Map(all.map(({ projectId, project }) => [projectId, project]));
}

/** A batch of a project, and its forecast. */
export type BatchForecast = Forecast & { readonly projectId: bigint; readonly batchId: bigint };

/** A project, and its batches. */
interface InProject {
  readonly projectId: bigint;
  /** Null where nothing is open. */
  readonly project: Forecast | null;
  /** Those of which something is open, as far as they are shown, and the latest, by age. */
  readonly batches: readonly BatchForecast[];
}

/** What some projects come to, and their batches each. */
export async function forecastsIn(tx: Tx, projectIds: readonly bigint[]): Promise<InProject[]> {
  const all = await batchForecastsOf(tx, projectIds);
  const byProject = projectIds.map((projectId) => ({
    projectId,
    batches: all.filter((one) => one.projectId === projectId),
  }));
  const many = byProject.filter(({ batches }) => batches.length >= OPEN_MAX);
  const ids = many.map(({ projectId }) => projectId);
  const wholes = ids.length === 0 ? [] : await wholeProjects(tx, ids);
  return byProject.map(({ projectId, batches }) => ({
    projectId,
    batches,
    project: together(batches, wholes.find((one) => one.projectId === projectId) ?? null),
  }));
}

async function batchForecastsOf(tx: Tx, projectIds: readonly bigint[]): Promise<BatchForecast[]> {
  const batches = await shownBatches(tx, projectIds);
  const forecasts = await forecastsOf(
    tx,
    batches.map(({ batchId }) => batchId),
  );
  return batches.flatMap((batch) => {
    const forecast = forecasts.get(batch.batchId);
    return forecast === undefined ? [] : [{ ...batch, ...forecast }];
  });
}

/**
 * What several forecasts say together; null where there is none.
 * @param whole what all come to where these are not all of them
 */
export function together(
  forecasts: readonly Forecast[],
  whole: Omit<WholeProject, 'projectId'> | null = null,
): Forecast | null {
  const unfinished = forecasts.filter(({ remainingAnswers }) => remainingAnswers > 0);
  const telling = unfinished.length > 0 ? unfinished : forecasts;
  if (telling.length === 0) {
    return null;
  }
  const sums = whole !== null && whole.batches > telling.length ? whole : null;
  const batches = sums?.batches ?? telling.length;
  const chances = [...telling.map(({ probabilityOnTime }) => probabilityOnTime), sums?.probability].flatMap(
    (chance) => chance ?? [],
  );
  const finished = Math.min(...telling.map((one) => one.finished));
  const joint = jointOf(telling, batches) ?? paceOf(telling, sums);
  const doneBy = joint === null ? latestOf(telling) : joint.doneBy;
  return {
    confidence: telling.some(({ confidence }) => confidence === 'LOW') ? 'LOW' : confidenceOf(finished),
    finished,
    remainingAnswers: sums?.remaining ?? sum(telling, ({ remainingAnswers }) => remainingAnswers),
    answersPerHour: sums?.answersPerHour ?? sum(telling, ({ answersPerHour }) => answersPerHour),
    ...seenOf(telling),
    expectedDoneAt:
      unfinished.length > 0 ? medianOf(doneBy) : latest(telling.map((one) => one.expectedDoneAt)),
    doneBy,
    deadline: sums?.deadline ?? latest(telling.map(({ deadline }) => deadline)),
    // Where they are not known future by future: they share their experts, and are late together rather than independently.
    probabilityOnTime: joint !== null ? joint.chance : chances.length === 0 ? null : Math.min(...chances),
    // Of so many it is not summed.
    capacity:
      sums !== null
        ? null
        : ofProject(telling, { holding: telling.reduce(later), joint: joint?.stored ?? null }),
    computedAt: earliest(telling),
  };
}

/** What came in of those of which something did. */
function seenOf(telling: readonly Forecast[]): Pick<Forecast, 'observed' | 'windowSeconds'> {
  const seen = telling.filter(({ observed }) => observed > 0);
  return pooled(seen.length > 0 ? seen : telling);
}

interface Joint {
  readonly doneBy: readonly (Date | null)[];
  readonly chance: number | null;
  /** And what else was said of all of them. */
  readonly stored: StoredCapacity['together'] | null;
}

/** As all of them were forecast at once, in the same futures; null where they were not. */
function jointOf(telling: readonly Forecast[], batches: number): Joint | null {
  const [first] = telling;
  const joint = first?.capacity?.together;
  const isOfAll = telling.every(
    ({ capacity, computedAt }) =>
      capacity?.together?.batches === batches && computedAt.getTime() === first?.computedAt.getTime(),
  );
  return first === undefined || joint === undefined || !isOfAll
    ? null
    : {
        doneBy: joint.seconds.map((of) => after(first.computedAt, of)),
        chance: joint.chance,
        stored: joint,
      };
}

/**
 * Where nothing can be said of one that nobody works on yet, all are done by whoever works on the others, at their rate.
 * @param whole what all come to where these are not all of them: no sooner, and no likelier in time than the least likely one
 */
function paceOf(
  telling: readonly Forecast[],
  whole: Pick<WholeProject, 'remaining' | 'probability'> | null,
): Joint | null {
  const { observed, windowSeconds } = seenOf(telling);
  const remaining = whole?.remaining ?? sum(telling, ({ remainingAnswers }) => remainingAnswers);
  if (remaining === 0 || observed === 0 || telling.every(({ doneBy }) => doneBy.length > 0)) {
    return null;
  }
  const from = earliest(telling);
  const hasChance = telling.some(({ probabilityOnTime }) => probabilityOnTime !== null);
  const within = (left: number) => byRate({ remaining: left, observed, windowSeconds });
  const until = leftUntil(
    telling.map(({ remainingAnswers, deadline }) => ({ remaining: remainingAnswers, deadline })),
  );
  const chances = [...until]
    .filter(([deadline, left]) => Number.isFinite(deadline) && left > 0)
    .map(([deadline, left]) => chanceWithin(within(left), (deadline - from.getTime()) / 1000));
  return {
    doneBy: Array.from(keptOf(within(remaining)), (of) => after(from, of)),
    chance: hasChance && chances.length > 0 ? Math.min(...chances, whole?.probability ?? 1) : null,
    stored: null,
  };
}

/** Quantile by quantile the latest, for they are late together. */
function latestOf(telling: readonly Forecast[]): readonly (Date | null)[] {
  const known = telling.map(({ doneBy }) => doneBy);
  return known.every((doneBy) => doneBy.length > 0)
    ? (known[0] ?? []).map((_, place) => latestOrNever(known.map((doneBy) => doneBy[place] ?? null)))
    : [];
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
