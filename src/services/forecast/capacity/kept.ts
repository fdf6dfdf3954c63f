import { after } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import { keptOf } from '../quantiles.js';
import { quantileOf, type Sample, sampleOf } from '../sample.js';
import type { Outcomes } from './combine.js';
import type { BatchFutures } from './jointly.js';
import type { BatchOutlook, SkillOutlook } from './look.js';
import { NEVER } from './one-future.js';
import type { StoredCapacity, StoredFixes } from './stored.js';
import { hoursAsked, SURE, shareOf } from './tell.js';

/** What may come of a batch, taken together. */
interface Whole {
  /** Seconds until it is done. */
  readonly sample: Sample;
  readonly all: Outcomes;
  /** Of its deadline; null without one. */
  readonly chance: number | null;
  readonly isDoubtful: boolean;
}

/** What is kept with the forecast of a batch; fixes where its deadline is not made nine times in ten. */
export function capacityOf(demand: Demand, one: BatchOutlook, whole: Whole): StoredCapacity {
  const own = leftOf(one);
  const { total, skills } = holdingUp(one);
  const raw = rawOf(one);
  return {
    total,
    skills: skills.map(({ skillId, ...figures }) => ({ skillId: String(skillId), ...figures })),
    own: {
      skillId: String(own.skillId),
      experts: own.ownExperts,
      hoursAWeek: own.hoursAWeek,
      workHours: own.work.seconds / 3_600,
    },
    work: workOf(one, whole.all),
    availableHours: own.availableHours,
    isDoubtful: whole.isDoubtful,
    fixes: whole.chance !== null && whole.chance < SURE ? fixesOf(demand, one, whole) : null,
    medianSeconds: raw.rawSeconds === null ? null : Math.max(1, raw.rawSeconds),
    medianSpread: raw.rawSpread,
  };
}

/** Its tasks; where only decisions are left, those. */
const leftOf = ({ own, adjudication }: BatchOutlook): SkillOutlook =>
  own.work.seconds > 0 ? own : (adjudication ?? own);

/** Of its tasks and its adjudications what is done later in most futures. */
export function holdingUp({ own, adjudication }: BatchOutlook): SkillOutlook {
  const later = own.worlds.filter((seconds, world) => seconds < (adjudication?.worlds[world] ?? 0)).length;
  return adjudication !== null && later > own.worlds.length / 2 ? adjudication : own;
}

/** Of its tasks and its adjudications what is done later by the hours alone; null is never. */
export function rawOf({ own, adjudication }: BatchOutlook): Pick<SkillOutlook, 'rawSeconds' | 'rawSpread'> {
  const isLater = (adjudication?.rawSeconds ?? Number.MAX_VALUE) > (own.rawSeconds ?? Number.MAX_VALUE);
  return adjudication !== null && (adjudication.rawSeconds === null || isLater) ? adjudication : own;
}

function fixesOf({ now }: Demand, { own, adjudication }: BatchOutlook, { sample, all }: Whole): StoredFixes {
  const hours = new Map([[own.skillId, hoursAsked(all.hours)]]);
  if (adjudication !== null) {
    const { skillId } = adjudication;
    hours.set(skillId, (hours.get(skillId) ?? 0) + hoursAsked(all.decidingHours));
  }
  const drop = Math.ceil(shareOf(all.shares, SURE) * own.work.items);
  return {
    expertHours: [...hours]
      .filter(([, of]) => of > 0)
      .map(([skillId, of]) => ({ skillId: String(skillId), hours: of })),
    dropTasks: drop > 0 && drop < own.work.items ? drop : null,
    safeDeadline: after(now, quantileOf(sample, SURE))?.toISOString() ?? null,
  };
}

/** What a batch asks for, by skill: that of its tasks, and that of its adjudications where it is another. */
function bySkill(one: BatchOutlook): [SkillOutlook, ...SkillOutlook[]][] {
  const { own, adjudication } = one;
  if (adjudication === null || own.work.seconds === 0) {
    return [[leftOf(one)]];
  }
  return own.skillId === adjudication.skillId ? [[own, adjudication]] : [[own], [adjudication]];
}

function workOf(one: BatchOutlook, all: Outcomes): StoredCapacity['work'] {
  return bySkill(one).map((of) => {
    const sum = (figure: 'workHours' | 'othersHours') =>
      of.reduce((whole, { alone }) => whole + alone[figure], 0);
    // Of one skill who decides could answer as well: the others are more.
    const most = (figure: 'experts' | 'hoursAWeek' | 'hoursByDeadline') =>
      Math.max(...of.map(({ alone }) => alone[figure]));
    const chances = of.flatMap(({ alone }) => alone.chance ?? []);
    return {
      skillId: String(of[0].skillId),
      experts: most('experts'),
      hoursAWeek: most('hoursAWeek'),
      hoursByDeadline: most('hoursByDeadline'),
      workHours: sum('workHours'),
      othersHours: sum('othersHours'),
      chance: chances.length === 0 ? null : Math.min(...chances),
      seconds: Array.from(keptOf(sampleOf(doneIn(of, one, all))), Math.round),
    };
  });
}

/**
 * When some of the work of a batch is done in each of its futures: in those that are learned after the same part of the whole as by the
 * hours of experts, so that it is done last where it is there, and never after the batch.
 */
function doneIn(
  some: readonly SkillOutlook[],
  { own, adjudication }: BatchOutlook,
  { worlds }: Outcomes,
): Float64Array {
  const count = own.worlds.length;
  const last = (of: readonly SkillOutlook[], world: number) =>
    Math.max(...of.map((one) => one.worlds[world % count] ?? 0));
  const all = adjudication === null ? [own] : [own, adjudication];
  return worlds.map((whole, world) => {
    const [byHours, ofAll] = [last(some, world), last(all, world)];
    return ofAll >= NEVER ? Math.min(whole, byHours) : (whole * byHours) / Math.max(1, ofAll);
  });
}

/** What a batch comes to in each possible future, for what its project does. */
export function inFutures(one: BatchOutlook, all: Outcomes): BatchFutures {
  const { own, adjudication } = one;
  return {
    done: new Map(bySkill(one).map((of) => [of[0].skillId, doneIn(of, one, all)])),
    lacking: [
      { skillId: own.skillId, hours: all.hours, workHours: own.work.seconds / 3_600 },
      ...(adjudication === null
        ? []
        : [
            {
              skillId: adjudication.skillId,
              hours: all.decidingHours,
              workHours: adjudication.work.seconds / 3_600,
            },
          ]),
    ],
    shares: all.shares,
    items: own.work.items,
  };
}
