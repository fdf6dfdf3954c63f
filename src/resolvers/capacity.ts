import type { Context } from '../context.js';
import type { ForecastWith } from '../schema/forecast/capacity.js';
import type { StoredCapacity, StoredFixes } from '../services/forecast/capacity/stored.js';
import type { Forecast } from '../services/forecast/forecast.js';
import { type Asked, forecastWith } from '../services/forecast/what-if.js';
import { badInput } from './api-errors.js';

/** Work and experts' hours, as they are shown. */
export interface ShownSkill {
  /** Null of several together. */
  readonly skillId: bigint | null;
  readonly experts: number;
  readonly hoursPerWeek: number;
  readonly hoursByDeadline: number;
  readonly workHours: number;
  /** How much others have to do is not every customer's to know. */
  readonly othersHours: number | null;
  readonly missingHours: number | null;
}

export interface ExtraHours {
  readonly skillId: bigint;
  readonly hours: number;
}

export interface Fixes {
  readonly expertHours: readonly ExtraHours[];
  readonly dropTasks: number | null;
  readonly safeDeadline: Date | null;
}

type Figures = StoredCapacity['total'];

function shown(
  figures: Figures,
  { ctx, skillId, missingHours }: { ctx: Context; skillId: bigint | null; missingHours: number | null },
): ShownSkill {
  const { experts, hoursAWeek, hoursByDeadline, workHours, othersHours } = figures;
  return {
    skillId,
    experts,
    hoursPerWeek: hoursAWeek,
    hoursByDeadline,
    workHours,
    othersHours: ctx.viewer.role === 'CUSTOMER' ? null : othersHours,
    missingHours,
  };
}

export function perSkill({ capacity, deadline }: Forecast, ctx: Context): ShownSkill[] {
  return (capacity?.skills ?? []).map(({ skillId, ...figures }) =>
    shown(figures, {
      ctx,
      skillId: BigInt(skillId),
      missingHours: missingIn({ capacity, deadline }, skillId),
    }),
  );
}

function missingIn(
  { capacity, deadline }: Pick<Forecast, 'capacity' | 'deadline'>,
  skillId: string | null,
): number | null {
  if (deadline === null) {
    return null;
  }
  const lacking = capacity?.fixes?.expertHours ?? [];
  const own = lacking.filter((one) => skillId === null || one.skillId === skillId);
  return lacking.length > 0 && own.length === 0 ? null : own.reduce((sum, { hours }) => sum + hours, 0);
}

export function total({ capacity, deadline }: Forecast, ctx: Context): ShownSkill | null {
  return capacity === null
    ? null
    : shown(capacity.total, { ctx, skillId: null, missingHours: missingIn({ capacity, deadline }, null) });
}

export async function bindingSkills({ capacity }: Forecast, { load }: Context) {
  const skills = await load.skill.loadMany((capacity?.skills ?? []).map(({ skillId }) => BigInt(skillId)));
  return skills.flatMap((skill) => (skill === null || skill instanceof Error ? [] : [skill]));
}

export function fixes(found: StoredFixes | null): Fixes | null {
  return found === null
    ? null
    : {
        expertHours: found.expertHours.map(({ skillId, hours }) => ({ skillId: BigInt(skillId), hours })),
        dropTasks: found.dropTasks,
        safeDeadline: found.safeDeadline === null ? null : new Date(found.safeDeadline),
      };
}

/** What a forecast hangs on, in words. Nobody is named. */
export function limits({ capacity }: Forecast, ctx: Context): string[] {
  if (capacity === null) {
    return [];
  }
  const { experts, hoursAWeek, workHours, othersHours } = capacity.total;
  const who =
    experts === 1
      ? '1 qualified expert'
      : `${experts === 0 ? 'no' : experts} qualified expert${experts === 0 ? '' : 's'}`;
  const week = experts === 0 ? '' : `, ${hours(hoursAWeek)} h a week${experts > 1 ? ' together' : ''}`;
  const isStaff = ctx.viewer.role !== 'CUSTOMER';
  const before =
    othersHours > 0 && isStaff ? ` and ${hours(othersHours)} h of other work that is due before` : '';
  const left =
    othersHours > 0 && !isStaff ? `, ${hours(capacity.availableHours)} h of them left for this` : '';
  return [`${who}${week}${left}, ${hours(workHours)} h of work${before}`];
}

/** To the hour, below ten to its tenth. */
const hours = (value: number): string =>
  value < 9.95 ? String(Math.round(value * 10) / 10) : String(Math.round(value));

const KINDS_MAX = 20;

type With = typeof ForecastWith.$inferInput;

/** The forecast of something that the viewer was shown (projects and batches are for customers and staff), as it would be. */
export async function forecastIf(
  { extraExperts, dropTasks, deadline }: With,
  { of, ctx }: { of: Asked; ctx: Context },
): Promise<Forecast | null> {
  if ((extraExperts?.length ?? 0) > KINDS_MAX) {
    throw badInput(`Give at most ${KINDS_MAX} kinds of extra experts.`);
  }
  const change = {
    extraExperts: (extraExperts ?? []).map(({ count, hoursPerWeek }) => ({
      count,
      hoursPerWeek: hoursPerWeek ?? null,
    })),
    dropTasks: dropTasks ?? 0,
    deadline: deadline ?? null,
  };
  return forecastWith(ctx.app.db, ctx.viewer, { of, change });
}
