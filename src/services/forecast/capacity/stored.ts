import { z } from 'zod';

const Figures = {
  /** Who can do any of it. */
  experts: z.number(),
  hoursAWeek: z.number(),
  /** Hours that they have by the deadline; without one, until it is done. */
  hoursByDeadline: z.number(),
  /** Of this batch. */
  workHours: z.number(),
  /** Of all that is served before it by the same experts. */
  othersHours: z.number(),
};

/** What would make a deadline, each by itself. */
export const StoredFixesJson = z.object({
  /** Of whoever can do it, by the deadline. */
  expertHours: z.array(z.object({ skillId: z.string(), hours: z.number() })),
  /** Null where even all of them would not do. */
  dropTasks: z.number().nullable(),
  /** By when it is done nine times in ten; null beyond ten years. */
  safeDeadline: z.string().nullable(),
});
export type StoredFixes = z.infer<typeof StoredFixesJson>;

/** What a forecast hangs on, as it is stored with it. Ids are text, as in all JSON. */
export const StoredCapacityJson = z.object({
  total: z.object(Figures),
  /** Each skill by itself, and how likely its experts suffice for what is due of it by the deadline; null without one. */
  skills: z.array(z.object({ skillId: z.string(), ...Figures, chance: z.number().nullable().optional() })),
  /** Of the batch's own tasks alone: who can do them, what those work in a week, and what the tasks take; where only decisions are left, of those. What was stored before has none. */
  own: z
    .object({
      skillId: z.string(),
      experts: z.number(),
      hoursAWeek: z.number(),
      workHours: z.number().optional(),
    })
    .optional(),
  /**
   * Each skill of the batch's own work, its tasks' and that of who decides where their answers disagree, whether it binds or not: as in
   * `skills`, and quantiles of when what is asked of it is done, in seconds. What was stored before has none.
   */
  work: z
    .array(
      z.object({
        skillId: z.string(),
        ...Figures,
        chance: z.number().nullable(),
        seconds: z.array(z.number()),
      }),
    )
    .optional(),
  /** Hours by the deadline that are left for this batch, the mean of what may come. */
  availableHours: z.number(),
  /** What would make its deadline nine times in ten; null where it has none, or makes it as it is. */
  fixes: StoredFixesJson.nullable(),
  /**
   * The median time until it is done by the hours of experts alone, before what finished batches took against that: what the next ones are
   * corrected by. Null beyond twelve weeks, where it is no measurement.
   */
  medianSeconds: z.number().nullable(),
  /** How much the futures differ in that: standard deviation of the logarithm. What was stored before does not say. */
  medianSpread: z.number().optional(),
  /** Whether it hangs on one or two people, or on such as have not worked for weeks. What was stored before does not say. */
  isDoubtful: z.boolean().optional(),
  /**
   * All open batches of its project at once, where there are several: how many, quantiles of when the last is done, whether all are in
   * time, when what is asked of each skill is done, and what would have all of them in time. What was stored before lacks the latter two.
   */
  together: z
    .object({
      batches: z.number(),
      seconds: z.array(z.number()),
      chance: z.number().nullable(),
      work: z.array(z.object({ skillId: z.string(), seconds: z.array(z.number()) })).optional(),
      fixes: StoredFixesJson.nullable().optional(),
    })
    .optional(),
});
export type StoredCapacity = z.infer<typeof StoredCapacityJson>;
