import { after } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import { quantileOf, type Sample } from '../sample.js';
import type { Outcomes } from './combine.js';
import type { BatchOutlook, SkillOutlook } from './look.js';
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
  const { own } = one;
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
    availableHours: own.availableHours,
    isDoubtful: whole.isDoubtful,
    fixes: whole.chance !== null && whole.chance < SURE ? fixesOf(demand, one, whole) : null,
    medianSeconds: raw.rawSeconds === null ? null : Math.max(1, raw.rawSeconds),
    medianSpread: raw.rawSpread,
  };
}

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
