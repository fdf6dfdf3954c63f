import { faultsOfForm } from '../platform/faults-of-form.js';
import { TaskTypeInvalidError } from './answer-errors.js';
import { compileSchema } from './answer-validators.js';
import { freeFormFaults } from './free-form-schema.js';
import { type Issue, jsonFaults, pointerStep } from './json-value.js';
import { numberFaults } from './number-dimensions.js';
import { reaches } from './pointer-reach.js';
import {
  type DeclaredScale,
  type FreeFormDimension,
  type RubricCriterion,
  scoresOf,
  TaskTypeDefinition,
} from './task-type-definitions.js';
import { defaultTolerance, numbersOf, scaleAt } from './tolerances.js';

/** A value of an answer that answers are compared by. */
export interface Dimension {
  readonly name: string;
  /** Where the value stands in an answer (RFC 6901). */
  readonly pointer: string;
  readonly scale: 'nominal' | 'ordinal' | 'interval';
  /** All values there can be, where that is known; for ordinal text from lowest to highest. */
  readonly values?: readonly (string | number)[] | undefined;
  /** Of an interval one: nought means none, so that differences count by what they are of, where agreement is measured. */
  readonly isRatio?: boolean | undefined;
  /** Numbers that are no further apart say the same; interval only. None: only equal ones do. */
  readonly tolerance?: number | undefined;
}

/** A JSON Schema (draft 2020-12) as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A task type ready to be stored: what was asked for, with defaults filled in, and what it means for an answer. */
export interface CompiledTaskType {
  readonly kind: TaskTypeDefinition['kind'];
  readonly definition: TaskTypeDefinition;
  readonly answerSchema: JsonSchema;
  readonly dimensions: readonly Dimension[];
}

/** Longer notes belong into a free-form task type. */
const MAX_NOTE_LENGTH = 5000;

/**
 * Turns what a customer wrote into a task type whose answers can be validated and compared. Throws
 * TaskTypeInvalidError with every fault: unknown fields, empty or doubled names, schemas that could not be checked
 * in bounded time.
 */
export function compileTaskType(input: unknown): CompiledTaskType {
  refuse(jsonFaults(input));
  const parsed = TaskTypeDefinition.safeParse(input);
  if (!parsed.success) {
    throw new TaskTypeInvalidError(faultsOfForm(parsed.error.issues, input));
  }
  const definition = parsed.data;
  return { kind: definition.kind, definition, ...compileDefinition(definition) };
}

function compileDefinition(
  definition: TaskTypeDefinition,
): Pick<CompiledTaskType, 'answerSchema' | 'dimensions'> {
  switch (definition.kind) {
    case 'SINGLE_CHOICE':
      return oneOf(
        'choice',
        definition.options.map(({ value }) => value),
      );
    case 'PAIRWISE':
      return oneOf('preference', definition.allowTie ? ['LEFT', 'RIGHT', 'TIE'] : ['LEFT', 'RIGHT']);
    case 'RUBRIC':
      return rubric(definition.criteria);
    case 'FREE_FORM':
      refuse(freeFormFaults(definition));
      refuse(compilationFaults(definition.schema));
      refuse(reachFaults(definition));
      refuse(numberFaults(definition));
      return {
        answerSchema: definition.schema,
        dimensions: definition.dimensions.map((dimension) => freeDimension(definition.schema, dimension)),
      };
    default:
      return definition satisfies never;
  }
}

function oneOf(field: string, values: readonly string[]) {
  const answerSchema = closedObject({ [field]: { enum: values } }, [field]);
  return {
    answerSchema,
    dimensions: [{ name: field, pointer: `/${field}`, scale: 'nominal', values }] as const,
  };
}

function rubric(criteria: readonly RubricCriterion[]) {
  const names = criteria.map(({ name }) => name);
  const note = { type: 'string', maxLength: MAX_NOTE_LENGTH };
  const answerSchema = closedObject(
    {
      scores: closedObject(byName(criteria, scoreSchema), names),
      notes: closedObject(
        byName(criteria, () => note),
        [],
      ),
    },
    ['scores'],
  );
  const dimensions = criteria.map((criterion) => ({
    name: criterion.name,
    pointer: `/scores${pointerStep(criterion.name)}`,
    ...measured(criterion.scale),
    values: scoresOf(criterion),
    ...toleranceOf(criterion, criterion),
  }));
  return { answerSchema, dimensions };
}

function freeDimension(schema: JsonSchema, dimension: FreeFormDimension): Dimension {
  const numbers = scaleAt(schema, dimension.pointer);
  const tolerance = toleranceOf(dimension, numbers);
  const { scale, ...rest } = dimension;
  return scale === 'ratio'
    ? { ...rest, ...measured(scale), values: numbersOf(numbers) ?? [], ...tolerance }
    : { ...rest, scale, ...tolerance };
}

/** A ratio scale is an interval scale with a nought: all but agreement takes its numbers as those of one. */
const measured = (scale: DeclaredScale): Pick<Dimension, 'scale' | 'isRatio'> =>
  scale === 'ratio' ? { scale: 'interval', isRatio: true } : { scale };

/** The tolerance that a customer gave, else one that the scale suggests; of numbers only. */
function toleranceOf(
  { scale, tolerance }: { readonly scale: DeclaredScale; readonly tolerance?: number | undefined },
  numbers: Parameters<typeof defaultTolerance>[0],
): { tolerance?: number } {
  const found = scale === 'interval' || scale === 'ratio' ? (tolerance ?? defaultTolerance(numbers)) : null;
  return found === null ? {} : { tolerance: found };
}

function scoreSchema(criterion: RubricCriterion): JsonSchema {
  const { min, max, step } = criterion;
  if (step === 1 && Number.isInteger(min)) {
    return { type: 'integer', minimum: min, maximum: max };
  }
  // An enumeration and not `multipleOf`, which divides in binary and misses decimals such as 0.3 in steps of 0.1.
  return { enum: scoresOf(criterion) };
}

function byName(criteria: readonly RubricCriterion[], schemaOf: (criterion: RubricCriterion) => JsonSchema) {
  return Object.fromEntries(criteria.map((criterion) => [criterion.name, schemaOf(criterion)]));
}

function closedObject(properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Dimensions that no answer could have a value of. */
function reachFaults({ schema, dimensions }: Extract<TaskTypeDefinition, { kind: 'FREE_FORM' }>): Issue[] {
  return dimensions.flatMap(({ pointer }, index) =>
    reaches(schema, pointer)
      ? []
      : [{ path: `/dimensions/${index}/pointer`, message: 'points to nothing that the schema declares' }],
  );
}

/** What the validator itself refuses: unknown keywords and formats, malformed values. */
function compilationFaults(schema: JsonSchema): Issue[] {
  try {
    compileSchema(schema);
    return [];
  } catch (error) {
    return [{ path: '/schema', message: lowerFirst(error instanceof Error ? error.message : String(error)) }];
  }
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) {
    throw new TaskTypeInvalidError(issues);
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
