import type { Context } from '../context.js';
import type { ForecastWith } from '../schema/forecast/capacity.js';
import {
  type CustomersCapacity,
  fixesForCustomers,
  forCustomers,
} from '../services/forecast/capacity/customers.js';
import type { StoredCapacity, StoredFixes } from '../services/forecast/capacity/stored.js';
import { after, type Forecast, fixesOf } from '../services/forecast/forecast.js';
import { type Asked, forecastWith } from '../services/forecast/what-if.js';

/** Work and experts' hours, as they are shown. */
export interface ShownSkill {
  /** Null of several together. */
  readonly skillId: bigint | null;
  readonly experts: number;
  readonly hoursPerWeek: number;
  /** Null to customers, as the next: it is spent on others' work too. */
  readonly hoursByDeadline: number | null;
  readonly workHours: number;
  /** How much others have to do is not every customer's to know. */
  readonly othersHours: number | null;
  readonly missingHours: number | null;
  readonly probabilityOnTime: number | null;
  /** When what is asked of it is done with .05, .10, … .95; empty where that is nothing, or not known. */
  readonly doneBy: readonly (Date | null)[];
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
  { experts, hoursAWeek, hoursByDeadline, workHours, othersHours }: Figures,
  more: Pick<ShownSkill, 'skillId' | 'missingHours' | 'probabilityOnTime' | 'doneBy'>,
): ShownSkill {
  return { experts, hoursPerWeek: hoursAWeek, hoursByDeadline, workHours, othersHours, ...more };
}

/** The experts of a customer's own work, whoever else they work for. */
function ownOf(forecast: Forecast, whole: boolean): ShownSkill | null {
  const { deadline, capacity, probabilityOnTime } = forecast;
  const own = capacity === null ? null : forCustomers(capacity);
  return own === null
    ? null
    : {
        skillId: whole ? null : BigInt(own.skillId),
        experts: own.experts,
        hoursPerWeek: own.hoursAWeek,
        hoursByDeadline: null,
        workHours: own.workHours,
        othersHours: null,
        missingHours: deadline === null ? null : sumOf(own.fixes),
        probabilityOnTime,
        doneBy: whole ? forecast.doneBy : doneIn(forecast, own.skillId),
      };
}

const sumOf = (fixes: StoredFixes | null): number =>
  (fixes?.expertHours ?? []).reduce((sum, { hours }) => sum + hours, 0);

/** When what is asked of a skill is done. */
function doneIn({ capacity, computedAt }: Forecast, skillId: string): (Date | null)[] {
  const work = capacity?.work?.find((one) => one.skillId === skillId);
  return (work?.seconds ?? []).map((seconds) => after(computedAt, seconds));
}

const isCustomer = ({ viewer }: Context): boolean => viewer.role === 'CUSTOMER';

export function perSkill(forecast: Forecast, ctx: Context): ShownSkill[] {
  const { capacity, deadline } = forecast;
  if (isCustomer(ctx)) {
    return [ownOf(forecast, false)].filter((one) => one !== null);
  }
  const binding = capacity?.skills ?? [];
  // Those of its own work are told whether they bind or not.
  const others = (capacity?.work ?? []).filter((one) => binding.every((of) => of.skillId !== one.skillId));
  return [...binding, ...others].map(({ skillId, chance, ...figures }) =>
    shown(figures, {
      skillId: BigInt(skillId),
      probabilityOnTime: chance ?? null,
      doneBy: doneIn(forecast, skillId),
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

export function total(forecast: Forecast, ctx: Context): ShownSkill | null {
  const { capacity } = forecast;
  if (isCustomer(ctx)) {
    return ownOf(forecast, true);
  }
  return capacity === null
    ? null
    : shown(capacity.total, {
        skillId: null,
        missingHours: missingIn(forecast, null),
        probabilityOnTime: forecast.probabilityOnTime,
        doneBy: forecast.doneBy,
      });
}

/** To customers only the skill of their own work: which others bind tells what others have to do. */
export async function bindingSkills(forecast: Forecast, ctx: Context) {
  const own = perSkill(forecast, ctx).flatMap(({ skillId }) => skillId ?? []);
  const ids = isCustomer(ctx) ? own : (forecast.capacity?.skills ?? []).map(({ skillId }) => BigInt(skillId));
  const skills = await ctx.load.skill.loadMany(ids);
  return skills.flatMap((skill) => (skill === null || skill instanceof Error ? [] : [skill]));
}

export function fixes(found: StoredFixes | null, ctx: Context): Fixes | null {
  if (found === null) {
    return null;
  }
  const { expertHours, dropTasks, safeDeadline } = isCustomer(ctx) ? fixesForCustomers(found) : found;
  return {
    expertHours: expertHours.map(({ skillId, hours }) => ({ skillId: BigInt(skillId), hours })),
    dropTasks,
    safeDeadline: safeDeadline === null ? null : new Date(safeDeadline),
  };
}

export const fixesOfForecast = (forecast: Forecast, ctx: Context): Fixes | null =>
  fixes(fixesOf(forecast), ctx);

/** What a forecast hangs on, in words. Nobody is named. */
export function limits({ capacity }: Forecast, ctx: Context): string[] {
  if (capacity === null) {
    return [];
  }
  if (isCustomer(ctx)) {
    const own = forCustomers(capacity);
    return own === null ? [] : [limitsOf(own, `, ${hours(own.availableHours)} h of them left for this`)];
  }
  const { total } = capacity;
  const before =
    total.othersHours > 0 ? ` and ${hours(total.othersHours)} h of other work that is due before` : '';
  return [`${limitsOf(total, '')}${before}`];
}

/** @param left what is said of the hours that experts have for it */
function limitsOf(
  { experts, hoursAWeek, workHours }: Pick<CustomersCapacity, 'experts' | 'hoursAWeek' | 'workHours'>,
  left: string,
): string {
  if (experts === 0) {
    return `no qualified expert who is active, so it is never done as it is: ${hours(workHours)} h of work`;
  }
  const who = experts === 1 ? '1 qualified expert' : `${experts} qualified experts`;
  const week = `, ${hours(hoursAWeek)} h a week${experts > 1 ? ' together' : ''}`;
  return `${who}${week}${left}, ${hours(workHours)} h of work`;
}

/** To the hour, below ten to its tenth. */
const hours = (value: number): string =>
  value < 9.95 ? String(Math.round(value * 10) / 10) : String(Math.round(value));

type With = typeof ForecastWith.$inferInput;

/** The forecast of something that the viewer was shown (projects and batches are for customers and staff), as it would be. */
export async function forecastIf(
  { extraExperts, dropTasks, deadline }: With,
  { of, ctx }: { of: Asked; ctx: Context },
): Promise<Forecast | null> {
  const change = {
    extraExperts: (extraExperts ?? []).map(({ count, hoursPerWeek }) => ({
      count,
      hoursPerWeek: hoursPerWeek ?? null,
    })),
    dropTasks: dropTasks ?? 0,
    deadline: deadline ?? null,
  };
  return forecastWith(ctx.app.db, ctx.asker, { of, change });
}
