import type { Tx } from '../platform/database.js';
import type { Queryable } from '../platform/rows.js';
import { asOfFew } from './capacity/calibrate.js';
import type { StoredCapacity, StoredFixes } from './capacity/stored.js';
import { SURE } from './capacity/tell.js';
import {
  type Demand,
  demandOf,
  type StoredForecast,
  storedForecasts,
  WINDOW_SECONDS,
} from './forecast.sql.js';
import { completionModel, FINISHED_MIN } from './history/completion-model.js';
import { type History, historiesOf, NO_HISTORY } from './history/history.js';
import { endedLately, isUntouched, type Paced, pacesOf } from './pace.js';
import { chanceWithin, keptOf } from './quantiles.js';
import { byRate, type RateOfWork } from './rate.js';
import type { Sample } from './sample.js';

/** How much a forecast is worth: nothing, some or many finished batches to learn from; nothing either where it hangs on one or two people. */
export type Confidence = 'LOW' | 'MEDIUM' | 'HIGH';

/** When work will be done. */
export interface Forecast {
  readonly confidence: Confidence;
  /** Finished batches that it was learned from; below five it goes by the present rate. */
  readonly finished: number;
  readonly remainingAnswers: number;
  readonly answersPerHour: number;
  /** What that was seen by: answers within a window of time. */
  readonly observed: number;
  readonly windowSeconds: number;
  /** As likely before as after. Null while nothing can be said, and beyond ten years. Of finished work: when it was. */
  readonly expectedDoneAt: Date | null;
  /** When it will be done with a probability of .05, .10, … .95; null each beyond ten years. Empty while nothing can be said. */
  readonly doneBy: readonly (Date | null)[];
  readonly deadline: Date | null;
  /** Null without a deadline, and while there is too little to judge by. */
  readonly probabilityOnTime: number | null;
  /** What it hangs on: the hours of experts; null where those are not known. */
  readonly capacity: StoredCapacity | null;
  readonly computedAt: Date;
}

/** A forecast, and what is stored of it. */
export interface Computed {
  readonly forecast: Forecast;
  /** Quantiles at .05, .10, … .95 in seconds from when it was computed; null while nothing can be said. */
  readonly seconds: Sample | null;
}

/**
 * A stored forecast is told with when it was computed, half a minute ago at most where somebody judges. One that is older than this is of
 * a time when nobody did: what can be said at the moment, by the rate, is told instead.
 */
const STALE_SECONDS = 600;
/** What is later than so many seconds is never: no date is told. */
export const FAR_SECONDS = 10 * 365 * 86_400;
/** Too little to judge by: neither this many answers nor this long a look (or as long as what is left). */
const EVIDENCE_ANSWERS = 5;
const EVIDENCE_SECONDS = 60;
/** From so many finished batches on quantiles are those of the batches and not of the shape that they are taken to have. */
const FINISHED_MANY = 20;

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
  // That nothing can be said is said of the present moment, or not at all.
  const telling = stored.filter(({ seconds, remaining }) => seconds !== null || remaining === 0);
  const found = new Map(telling.map((row) => [row.batchId, fromStored(row)]));
  const missing = batchIds.filter((id) => !found.has(id));
  if (missing.length > 0) {
    const demands = await demandOf(tx, { batchIds: missing });
    const histories = await historiesOf(tx, demands);
    const paces = pacesOf([...demands, ...(await theRestOf(tx, demands))]);
    for (const demand of demands) {
      const { batchId } = demand;
      const { forecast } = computeForecast(demand, histories.get(batchId), paces.get(batchId));
      // Nobody has looked who can do it.
      found.set(batchId, { ...forecast, confidence: 'LOW' });
    }
  }
  return found;
}

/** What else tells how batches of which nothing came in of late go on: others of their projects, open or lately done. */
export async function theRestOf(db: Queryable, demands: readonly Demand[]): Promise<Paced[]> {
  const asked = new Set(demands.map(({ batchId }) => batchId));
  const projects = new Map(demands.filter(isUntouched).map((demand) => [demand.projectId, demand]));
  if (projects.size === 0) {
    return [];
  }
  const all = await demandOf(db, { projects: [...projects.values()] });
  const rest = all.filter(({ batchId }) => !asked.has(batchId));
  return [...rest, ...(await endedLately(db, [...demands, ...rest]))];
}

/**
 * Computes a forecast from what is known of a batch and of how such batches went.
 * @param pace how its project goes on, where nothing came in of the batch itself: ./pace.ts
 */
export function computeForecast(
  known: Pick<Demand, 'remaining' | 'observed' | 'windowSeconds' | 'answers' | 'elapsedSeconds'> &
    Pick<Demand, 'deadline' | 'lastAnswerAt' | 'now'> & {
      /** One or two experts can do it. */
      readonly isOfFew?: boolean;
    },
  { finished, scale }: History = NO_HISTORY,
  pace?: RateOfWork,
): Computed {
  const work = known.remaining > 0 && pace !== undefined ? pace : known;
  const learned = known.remaining > 0 && known.answers > 0 && finished.length >= FINISHED_MIN;
  const said = learned
    ? completionModel(finished).remaining({ ...known, remainingAnswers: known.remaining }, scale)
    : sampleByRate(work);
  const sample = said !== null && known.isOfFew === true ? asOfFew(said) : said;
  const count = learned ? finished.length : 0;
  const seconds = sample === null ? null : keptOf(sample);
  const doneBy = seconds === null ? [] : Array.from(seconds, (of) => after(known.now, of));
  return {
    seconds,
    forecast: {
      confidence: known.isOfFew === true ? 'LOW' : confidenceOf(count),
      finished: count,
      remainingAnswers: known.remaining,
      answersPerHour: (known.observed / known.windowSeconds) * 3_600,
      observed: known.observed,
      windowSeconds: known.windowSeconds,
      expectedDoneAt: known.remaining === 0 ? known.lastAnswerAt : medianOf(doneBy),
      doneBy,
      deadline: known.deadline,
      probabilityOnTime:
        known.deadline === null ? null : onTime({ ...known, ...work }, known.deadline, { learned, sample }),
      capacity: null,
      computedAt: known.now,
    },
  };
}

/** By the rate of late; null where nothing was answered, or nothing is left. */
const sampleByRate = (work: RateOfWork): Sample | null =>
  work.remaining === 0 || work.observed === 0 ? null : byRate(work);

export const medianOf = (doneBy: readonly (Date | null)[]): Date | null =>
  doneBy[(doneBy.length - 1) / 2] ?? null;

/** A moment so many seconds later; null beyond ten years. */
export function after(now: Date, seconds: number): Date | null {
  return seconds <= FAR_SECONDS ? new Date(now.getTime() + Math.round(seconds * 1000)) : null;
}

/**
 * What would make a deadline that is not made nine times in ten: hours and tasks as far as experts' hours are known, and by when it is done
 * nine times in ten. Null where it is made, and where nothing can be said.
 */
export function fixesOf({
  capacity,
  deadline,
  probabilityOnTime,
  remainingAnswers,
  doneBy,
}: Pick<
  Forecast,
  'capacity' | 'deadline' | 'probabilityOnTime' | 'remainingAnswers' | 'doneBy'
>): StoredFixes | null {
  if (capacity !== null) {
    return capacity.fixes;
  }
  const isMade =
    deadline === null || probabilityOnTime === null || probabilityOnTime >= SURE || remainingAnswers === 0;
  const safe = doneBy[Math.round(SURE * (doneBy.length + 1)) - 1];
  return isMade || safe === undefined
    ? null
    : { expertHours: [], dropTasks: null, safeDeadline: safe?.toISOString() ?? null };
}

/** With no more experts than these who can do it nothing is certain: one is ill, and all is otherwise. */
const EXPERTS_FEW = 2;

export const isFew = (experts: number | undefined): boolean =>
  experts !== undefined && experts <= EXPERTS_FEW;

export function confidenceOf(finished: number): Confidence {
  if (finished < FINISHED_MIN) {
    return 'LOW';
  }
  return finished < FINISHED_MANY ? 'MEDIUM' : 'HIGH';
}

function onTime(
  known: RateOfWork & { lastAnswerAt: Date | null; now: Date },
  deadline: Date,
  { learned, sample }: { learned: boolean; sample: Sample | null },
): number | null {
  if (known.remaining === 0) {
    return known.lastAnswerAt !== null && known.lastAnswerAt > deadline ? 0 : 1;
  }
  const secondsLeft = (deadline.getTime() - known.now.getTime()) / 1000;
  const canJudge =
    learned ||
    known.observed >= EVIDENCE_ANSWERS ||
    known.windowSeconds >= Math.min(EVIDENCE_SECONDS, secondsLeft);
  return canJudge ? chanceWithin(sample ?? byRate(known), secondsLeft) : null;
}

/** How much a forecast is worth that was stored without saying so. */
const doubted = ({ capacity, finished }: StoredForecast): Confidence =>
  (capacity?.isDoubtful ?? isFew(capacity?.own?.experts)) ? 'LOW' : confidenceOf(finished);

function fromStored(stored: StoredForecast): Forecast {
  const { remaining, finished, answersPerHour, expectedDoneAt, deadline, probabilityOnTime, computedAt } =
    stored;
  return {
    confidence: stored.confidence ?? doubted(stored),
    finished,
    remainingAnswers: remaining,
    answersPerHour,
    observed: stored.observed ?? answersPerHour,
    windowSeconds: stored.windowSeconds ?? WINDOW_SECONDS,
    expectedDoneAt,
    doneBy: (stored.seconds ?? []).map((seconds) => after(computedAt, seconds)),
    deadline,
    probabilityOnTime,
    capacity: stored.capacity,
    computedAt,
  };
}
