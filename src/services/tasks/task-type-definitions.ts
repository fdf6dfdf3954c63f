import { z } from 'zod';
import { hasUnseen } from '../platform/visible.js';
import { NUMBER_MAX, TOLERANCE_MAX, TOLERANCE_MIN } from './tolerances.js';

/**
 * What a customer writes down about the answers they want. Compiled once, when the task type is created, by
 * `compileTaskType`; stored beside its JSON Schema so that forms can show labels and order.
 */

/** Text that becomes a column of its own, where PostgreSQL cannot hold a NUL. */
const stored = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !text.includes('\u0000'), 'contains a NUL character');

const Name = stored(100)
  .refine((name) => name !== '__proto__', 'is not allowed as a name')
  .refine((name) => !hasUnseen(name), 'has a character that nobody sees');
const Label = z.string().min(1).max(500);

/** One of a fixed list of options. Answer: `{"choice": "<value>"}`. */
const SingleChoice = z.strictObject({
  kind: z.literal('SINGLE_CHOICE'),
  options: z
    .array(z.strictObject({ value: stored(200), label: Label.optional() }))
    .min(2)
    .max(1000)
    .refine((options) => isDistinct(options.map(({ value }) => value)), 'has the same value twice'),
});

/** Which of two is better. Answer: `{"preference": "LEFT" | "RIGHT" | "TIE"}`, the tie only where it is allowed. */
const Pairwise = z.strictObject({
  kind: z.literal('PAIRWISE'),
  allowTie: z.boolean().default(true),
});

/** A step of 0.05 from 0 to 50 has 1,001 values; a finer scale than that is not a rubric. */
const MAX_SCALE_VALUES = 1001;

/** Numbers that are no further apart say the same. Default: tolerances.ts. */
const Tolerance = z.number().min(TOLERANCE_MIN).max(TOLERANCE_MAX).optional();
const ONLY_NUMBERS = { message: 'is only for interval and ratio dimensions', path: ['tolerance'] };
const hasFittingTolerance = ({ scale, tolerance }: { scale: string; tolerance?: number | undefined }) =>
  tolerance === undefined || scale === 'interval' || scale === 'ratio';

/**
 * What differences between values mean: nothing (nominal), their order (ordinal), how large they are (interval), how large they
 * are beside the values (ratio: nought means none, and 1 and 2 are as far apart as 10 and 20).
 */
export type DeclaredScale = 'nominal' | 'ordinal' | 'interval' | 'ratio';

/** Agreement on a ratio scale counts every pair of values. */
export const RATIO_VALUES_MAX = 50;

const Criterion = z
  .strictObject({
    name: Name,
    label: Label.optional(),
    min: z.number(),
    max: z.number(),
    /** Scores run from `min` to `max` in steps of this. Default: 1. */
    step: z.number().positive().default(1),
    /** Whether only the order of scores means something (ordinal), their differences (interval), or their ratios (ratio). */
    scale: z.enum(['ordinal', 'interval', 'ratio']).default('ordinal'),
    tolerance: Tolerance,
  })
  .refine(hasFittingTolerance, ONLY_NUMBERS)
  .refine(({ min, max }) => min < max, 'must have a min below its max')
  .refine(({ min, max, step }) => stepsOf(min, max, step) < MAX_SCALE_VALUES, 'has more than 1,001 scores')
  .refine(({ min, max, step }) => isWhole((max - min) / step), 'must reach its max in whole steps')
  .refine(
    (scale) => !(stepsOf(scale.min, scale.max, scale.step) < MAX_SCALE_VALUES) || isTold(scoresOf(scale)),
    'has steps so small, or numbers so large, that scores are not told apart',
  )
  .refine(({ scale, min }) => scale !== 'ratio' || min >= 0, 'must have no score below 0 on a ratio scale')
  .refine(
    ({ scale, min, max, step }) => scale !== 'ratio' || stepsOf(min, max, step) < RATIO_VALUES_MAX,
    'may have at most 50 scores on a ratio scale',
  );

/**
 * Several criteria, each scored on its own scale. Answer: `{"scores": {"<name>": number}, "notes"?: {"<name>": text}}`;
 * every criterion must be scored, any may have a note.
 */
const Rubric = z.strictObject({
  kind: z.literal('RUBRIC'),
  criteria: z
    .array(Criterion)
    .min(1)
    .max(50)
    .refine((criteria) => isDistinct(criteria.map(({ name }) => name)), 'has the same name twice'),
});

/** Where in a free-form answer a value stands that answers can be compared by. */
const FreeFormDimension = z
  .strictObject({
    name: Name,
    pointer: z
      .string()
      .max(500)
      .regex(/^(\/([^/~]|~[01])*)+$/, 'must be a JSON pointer such as /verdict'),
    /** On a ratio scale the schema must say `minimum`, `maximum` and steps (`integer` or `multipleOf`) of at most 50 numbers from 0. */
    scale: z.enum(['nominal', 'ordinal', 'interval', 'ratio']),
    /** For ordinal text: its values from lowest to highest. */
    values: z.array(z.string().min(1).max(200)).min(2).max(1000).optional(),
    tolerance: Tolerance,
  })
  .refine(hasFittingTolerance, ONLY_NUMBERS);

/**
 * Any JSON object that fits a JSON Schema (draft 2020-12). Without a dimension its answers cannot be compared and go
 * to review.
 */
const FreeForm = z.strictObject({
  kind: z.literal('FREE_FORM'),
  schema: z.record(z.string(), z.unknown()),
  dimensions: z
    .array(FreeFormDimension)
    .max(20)
    .default([])
    .refine((dimensions) => isDistinct(dimensions.map(({ name }) => name)), 'has the same name twice'),
});

export const TaskTypeDefinition = z.discriminatedUnion('kind', [SingleChoice, Pairwise, Rubric, FreeForm]);
export type TaskTypeDefinition = z.infer<typeof TaskTypeDefinition>;
export type FreeFormDimension = z.infer<typeof FreeFormDimension>;
export type RubricCriterion = z.infer<typeof Criterion>;

/** Scores from `min` to `max`. */
interface Steps {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** Every score of a criterion, from lowest to highest. */
export function scoresOf({ min, max, step }: Steps): number[] {
  const steps = stepsOf(min, max, step);
  // Rounded to where a decimal that a person wrote begins to show its binary shadow: 0.30000000000000004 is 0.3.
  return Array.from({ length: steps + 1 }, (_, n) => Number((min + n * step).toFixed(9)));
}

function stepsOf(min: number, max: number, step: number): number {
  return Math.round((max - min) / step);
}

/** Whether each score is what it is rounded to, and none the same as another: whoever writes it in a form is understood. */
function isTold(scores: readonly number[]): boolean {
  return scores.every(
    (score, n) => Math.abs(score) <= NUMBER_MAX && (n === 0 || score > (scores[n - 1] ?? score)),
  );
}

function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-9;
}

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
