import { z } from 'zod';
import type { Forecast } from './forecast.js';
import type { Demand } from './forecast.sql.js';

/** What subscribers were last told of a batch's forecast, as far as a change of it is news. Instants are text, as in all JSON. */
export const ToldJson = z.object({
  remaining: z.number(),
  probability: z.number().nullable(),
  doneAt: z.string().nullable(),
  deadline: z.string().nullable(),
  /** The skills that bind. */
  binding: z.array(z.string()),
});
export type Told = z.infer<typeof ToldJson>;

export function toldOf(forecast: Forecast): Told {
  const { remainingAnswers, probabilityOnTime, expectedDoneAt, deadline, capacity } = forecast;
  return {
    remaining: remainingAnswers,
    probability: probabilityOnTime,
    doneAt: expectedDoneAt?.toISOString() ?? null,
    deadline: deadline?.toISOString() ?? null,
    binding: (capacity?.skills ?? []).map(({ skillId }) => skillId),
  };
}

/** A chance that moved less is no news … */
const CHANCE_STEP = 0.01;
/** … nor is a date that moved by less than this share of the time that is left until then, and less than that. */
const DATE_STEP = { share: 0.05, leastMs: 60_000 } as const;

/** Whether there is news of a batch: against what was told, however often it was judged since, for what changes slowly is told too. */
export function isNews({ told, now: at }: Pick<Demand, 'told' | 'now'>, forecast: Forecast): boolean {
  const now = toldOf(forecast);
  return (
    told === null ||
    told.remaining !== now.remaining ||
    told.deadline !== now.deadline ||
    told.binding.join() !== now.binding.join() ||
    hasMoved(told.probability, now.probability, CHANCE_STEP) ||
    hasMoved(timeOf(told.doneAt), timeOf(now.doneAt), stepFrom(at, now.doneAt))
  );
}

const timeOf = (at: string | null): number | null => (at === null ? null : Date.parse(at));

const stepFrom = (now: Date, doneAt: string | null): number =>
  Math.max(DATE_STEP.leastMs, DATE_STEP.share * Math.abs((timeOf(doneAt) ?? 0) - now.getTime()));

const hasMoved = (before: number | null, now: number | null, step: number): boolean =>
  before === null || now === null ? before !== now : Math.abs(before - now) >= step;
