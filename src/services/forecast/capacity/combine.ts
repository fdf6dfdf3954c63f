import { after, type Computed, confidenceOf, isFew, medianOf } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import type { History } from '../history/history.js';
import { chanceWithin, keptOf } from '../quantiles.js';
import { quantileOf, type Sample, sampleOf } from '../sample.js';
import { learnedShare } from './calibrate.js';
import { capacityOf } from './kept.js';
import type { BatchOutlook, SkillOutlook } from './look.js';
import type { StoredCapacity } from './stored.js';

/** A forecast of a batch by the hours of experts. */
export interface ByHours extends Computed {
  readonly capacity: StoredCapacity;
  /** Seconds until it is done in each possible future, the same ones for all batches of a call. */
  readonly worlds: Float64Array;
}

/** All that may come of a batch, future by future: when it is done, and what is short. */
export interface Outcomes {
  readonly worlds: Float64Array;
  readonly hours: Float64Array;
  readonly shares: Float64Array;
}

/**
 * One forecast of what the hours of experts say and of what finished batches say without regard to those: chance, dates and what would
 * fix it are of the same futures.
 */
export function combined(
  demand: Demand,
  { base, one, history }: { base: Computed; one: BatchOutlook; history: History },
): ByHours {
  const secondsLeft =
    demand.deadline === null ? null : (demand.deadline.getTime() - demand.now.getTime()) / 1000;
  const learned = base.forecast.finished > 0 ? base.seconds : null;
  const share = learned === null ? 0 : learnedShare(history, learned);
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

/** Nothing is certain where none of them has worked for so many weeks, though there may have been nothing to do. */
const WEEKS_QUIET = 2;

function isDoubtful({ own, adjudication }: BatchOutlook): boolean {
  const hangsOn = ({ ownExperts, quietWeeks }: SkillOutlook) =>
    isFew(ownExperts) || quietWeeks >= WEEKS_QUIET;
  return hangsOn(own) || (adjudication !== null && hangsOn(adjudication));
}

interface Learned {
  readonly secondsLeft: number | null;
  /** What is learned without regard to hours; null where nothing is. */
  readonly learned: Sample | null;
  /** As how much against the hours it counts, 0 to 1. */
  readonly share: number;
}

/** The golden section: so many steps of it round a circle never lie close together. */
const STEP = (Math.sqrt(5) - 1) / 2;

/** The futures by hours, and as many more: by what is learned as far as it counts, by hours again beyond. */
function outcomesOf(one: BatchOutlook, { secondsLeft, learned, share }: Learned): Outcomes {
  const byHours = bothDone(one);
  const count = byHours.worlds.length;
  const times = Math.round(share * count);
  const workHours = one.own.work.seconds / 3_600;
  const later = (of: Float64Array, instead: (seconds: number) => number) =>
    Float64Array.from({ length: 2 * count }, (_, world) =>
      world < count || world >= count + times || learned === null
        ? (of[world % count] ?? 0)
        : instead(quantileOf(learned, (world * STEP) % 1)),
    );
  const missed = (seconds: number) =>
    secondsLeft === null ? 0 : Math.min(1, Math.max(0, 1 - Math.max(0, secondsLeft) / Math.max(1, seconds)));
  return {
    worlds: later(byHours.worlds, (seconds) => seconds),
    hours: later(byHours.hours, (seconds) => workHours * missed(seconds)),
    shares: later(byHours.shares, missed),
  };
}

/** A batch is done when its tasks and their adjudications are. */
function bothDone({ own, adjudication }: BatchOutlook): Outcomes {
  const worst = (of: Float64Array, other: Float64Array | undefined) =>
    other === undefined ? of : of.map((value, world) => Math.max(value, other[world] ?? 0));
  return {
    worlds: worst(own.worlds, adjudication?.worlds),
    hours: own.short.hours,
    shares: worst(own.short.shares, adjudication?.short.shares),
  };
}
