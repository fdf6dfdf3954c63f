import { after, type Computed, confidenceOf, isFew, medianOf } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import type { History } from '../history/history.js';
import { chanceWithin, keptOf } from '../quantiles.js';
import { quantileOf, type Sample, sampleOf } from '../sample.js';
import { WEEKS_QUIET } from './able.js';
import { learnedShare } from './calibrate.js';
import type { BatchFutures } from './jointly.js';
import { capacityOf, holdingUp, inFutures, rawOf } from './kept.js';
import type { BatchOutlook, SkillOutlook } from './look.js';
import { NEVER } from './one-future.js';
import type { StoredCapacity } from './stored.js';

const secondsUntil = ({ deadline, now }: Demand): number =>
  ((deadline ?? now).getTime() - now.getTime()) / 1000;

/** A forecast of a batch by the hours of experts. */
export interface ByHours extends Computed {
  readonly capacity: StoredCapacity;
  /** Seconds until it is done in each possible future, the same ones for all batches of a call. */
  readonly worlds: Float64Array;
  /** And what else it comes to in them. */
  readonly futures: BatchFutures;
}

/** All that may come of a batch, future by future: when it is done, and what is short. */
export interface Outcomes {
  readonly worlds: Float64Array;
  /** Hours that would have to come more for its tasks until the deadline, and for its decisions. */
  readonly hours: Float64Array;
  readonly decidingHours: Float64Array;
  readonly shares: Float64Array;
}

interface Combining {
  /** By the finished batches or the present rate alone. */
  readonly base: Computed;
  readonly one: BatchOutlook;
  readonly history: History;
  /** What finished batches say without regard to hours: {@link learnedFor}. */
  readonly learned: Sample | null;
}

/**
 * One forecast of what the hours of experts say and of what finished batches say without regard to those: chance, dates and what would
 * fix it are of the same futures.
 */
export function combined(demand: Demand, { base, one, history, learned }: Combining): ByHours {
  const secondsLeft = demand.deadline === null ? null : secondsUntil(demand);
  const share = learned === null ? 0 : learnedShare(history, learned, isFew(one.own.awake));
  const all = outcomesOf(one, { secondsLeft, learned, share });
  const sample = sampleOf(all.worlds);
  const seconds = keptOf(sample);
  const doneBy = Array.from(seconds, (of) => after(demand.now, of));
  const probabilityOnTime = secondsLeft === null ? null : chanceWithin(sample, secondsLeft);
  const capacity = capacityOf(demand, one, {
    sample,
    all,
    chance: probabilityOnTime,
    isDoubtful: isDoubtful(one),
  });
  return {
    seconds,
    worlds: all.worlds,
    futures: inFutures(one, all),
    capacity,
    forecast: {
      ...base.forecast,
      confidence: capacity.isDoubtful ? 'LOW' : confidenceOf(base.forecast.finished),
      doneBy,
      expectedDoneAt: medianOf(doneBy),
      probabilityOnTime,
      capacity,
    },
  };
}

/**
 * What finished batches say of one without regard to hours. With experts more or tasks less it is as much sooner or later as the hours say;
 * where by the hours it is never done, or would never be, they are believed. Null where nothing is learned.
 * @param before the batch without those
 */
export function learnedFor(
  one: BatchOutlook,
  before: { base: Computed | null; one?: BatchOutlook | undefined },
): Sample | null {
  const { base } = before;
  if (base === null || base.seconds === null || base.forecast.finished === 0 || isNever(one)) {
    return null;
  }
  if (!('one' in before)) {
    return base.seconds;
  }
  const was = before.one === undefined ? NEVER : middleOf(before.one);
  const times = middleOf(one) / was;
  return was >= NEVER ? null : base.seconds.map((seconds) => Math.min(NEVER, seconds * times));
}

const middleOf = (one: BatchOutlook): number => quantileOf(sampleOf(bothDone(one).worlds), 0.5);

/** In none of its futures. */
const isNever = (one: BatchOutlook): boolean => bothDone(one).worlds.every((seconds) => seconds >= NEVER);

/**
 * The forecast of a batch with newcomers beside experts of whom it is not known when they work: these go on as the finished batches or the
 * present rate say, those by their hours, and what each would do alone is done by both in less.
 */
export function besides(
  demand: Demand,
  { base, one }: Pick<Combining, 'base' | 'one'>,
): Computed & { readonly worlds: Float64Array } {
  const alone = bothDone(one).worlds;
  const worlds = Float64Array.from({ length: 2 * alone.length }, (_, world) => {
    const seconds = alone[world % alone.length] ?? NEVER;
    const others = base.seconds === null ? NEVER : quantileOf(base.seconds, (world * STEP) % 1);
    return 1 / (1 / seconds + 1 / Math.max(1, others));
  });
  const sample = sampleOf(worlds);
  const seconds = keptOf(sample);
  const doneBy = Array.from(seconds, (of) => after(demand.now, of));
  return {
    seconds,
    worlds,
    forecast: {
      ...base.forecast,
      confidence: 'LOW',
      doneBy,
      expectedDoneAt: medianOf(doneBy),
      probabilityOnTime: demand.deadline === null ? null : chanceWithin(sample, secondsUntil(demand)),
    },
  };
}

function isDoubtful({ own, adjudication }: BatchOutlook): boolean {
  const hangsOn = ({ awake, quietWeeks }: SkillOutlook) => isFew(awake) || quietWeeks >= WEEKS_QUIET;
  return hangsOn(own) || (adjudication !== null && hangsOn(adjudication));
}

interface Learned {
  readonly secondsLeft: number | null;
  /** What is learned without regard to hours; null where nothing is. */
  readonly learned: Sample | null;
  /** As how much against the hours it counts, 0 to 1. */
  readonly share: number;
}

const WEEK = 168 * 3_600;
/** The golden section: so many steps of it round a circle never lie close together. */
const STEP = (Math.sqrt(5) - 1) / 2;

/** The futures by hours, and as many more: by what is learned as far as it counts, by hours again beyond. */
function outcomesOf(one: BatchOutlook, { secondsLeft, learned, share }: Learned): Outcomes {
  const byHours = bothDone(one);
  const count = byHours.worlds.length;
  const times = Math.round(share * count);
  const short = shortBy(one, secondsLeft);
  const isOwn = holdingUp(one) === one.own;
  const later = (of: Float64Array, instead: (seconds: number) => number) =>
    Float64Array.from({ length: 2 * count }, (_, world) =>
      world < count || world >= count + times || learned === null
        ? (of[world % count] ?? 0)
        : instead(quantileOf(learned, (world * STEP) % 1)),
    );
  return {
    worlds: later(byHours.worlds, (seconds) => seconds),
    hours: later(byHours.hours, (seconds) => (isOwn ? short.hours(seconds) : 0)),
    decidingHours: later(byHours.decidingHours, (seconds) => (isOwn ? 0 : short.hours(seconds))),
    shares: later(byHours.shares, short.share),
  };
}

/** Of more than so many times the hours nobody is told. */
const TIMES_MOST = 10;

/**
 * What is missing at a deadline where work takes so many seconds, whatever the hours say: hours come as they do of what holds it up when by
 * the hours it is done, and all of them, those that come more too, come to as much less as it takes longer.
 */
function shortBy(one: BatchOutlook, secondsLeft: number | null) {
  const { work, total, hoursAWeek } = holdingUp(one);
  const own = Math.max(Number.EPSILON, work.seconds / 3_600);
  const raw = Math.max(1, rawOf(one).rawSeconds ?? middleOf(one));
  const rate = Math.max(own / raw, Math.min((own + total.othersHours) / raw, hoursAWeek / WEEK));
  const left = Math.max(0, secondsLeft ?? 0);
  /** Of the hours that come, those that would have to come by the deadline, and do not. */
  const lacking = (seconds: number) =>
    secondsLeft === null ? 0 : Math.max(0, rate * (raw - (left * raw) / Math.max(1, seconds)));
  return {
    hours: (seconds: number) => lacking(seconds) * (left > 0 ? Math.min(TIMES_MOST, seconds / raw) : 1),
    share: (seconds: number) => Math.min(1, lacking(seconds) / own),
  };
}

/** A batch is done when its tasks and their adjudications are. */
function bothDone({ own, adjudication }: BatchOutlook): Outcomes {
  const worst = (of: Float64Array, other: Float64Array | undefined) =>
    other === undefined ? of : of.map((value, world) => Math.max(value, other[world] ?? 0));
  return {
    worlds: worst(own.worlds, adjudication?.worlds),
    hours: own.short.hours,
    decidingHours: adjudication?.short.hours ?? own.short.hours.map(() => 0),
    shares: worst(own.short.shares, adjudication?.short.shares),
  };
}
