import { after } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import { quantileOf, type Sample } from '../sample.js';
import type { WorkOutlook } from './outlook.js';
import type { StoredCapacity } from './stored.js';

/** What is foreseen of a batch's work, in terms of skills. */
export interface SkillOutlook extends WorkOutlook {
  readonly skillId: bigint;
  /** Of the experts of its own work. */
  readonly hoursAWeek: number;
}

/** What of it is kept with the forecast; fixes where its hours are short. @param sample seconds until it is done */
export function capacityOf(
  { now }: Demand,
  {
    total,
    skills,
    skillId,
    ownExperts,
    hoursAWeek,
    availableHours,
    missingHours,
    missingShare,
    rawSeconds,
    work,
  }: SkillOutlook,
  { sample, isShort }: { sample: Sample; isShort: boolean },
): StoredCapacity {
  const drop = Math.ceil(missingShare * work.items);
  return {
    total,
    skills: skills.map(({ skillId: of, ...figures }) => ({ skillId: String(of), ...figures })),
    own: { skillId: String(skillId), experts: ownExperts, hoursAWeek },
    availableHours,
    fixes: isShort
      ? {
          expertHours: [{ skillId: String(skillId), hours: missingHours ?? 0 }],
          dropTasks: drop < work.items ? drop : null,
          safeDeadline: after(now, quantileOf(sample, 0.9))?.toISOString() ?? null,
        }
      : null,
    medianSeconds: rawSeconds === null ? null : Math.max(1, rawSeconds),
  };
}
