import { compileSchema } from './answer-validators.js';
import { type Issue, valueAt } from './json-value.js';
import {
  type FreeFormDimension,
  RATIO_VALUES_MAX,
  type TaskTypeDefinition,
} from './task-type-definitions.js';
import { NUMBER_MAX, numbersOf, scaleAt } from './tolerances.js';

type FreeForm = Extract<TaskTypeDefinition, { kind: 'FREE_FORM' }>;

const isOfNumbers = ({ scale }: FreeFormDimension) => scale === 'interval' || scale === 'ratio';

/**
 * Dimensions in numbers that the schema gives no number for: nobody could answer them. On a ratio scale also those whose numbers
 * are not known, of which there are too many, or that reach below nought.
 */
export function numberFaults({ schema, dimensions }: FreeForm): Issue[] {
  return dimensions.flatMap((dimension, index) => {
    const at = `/dimensions/${index}`;
    const isUnknown = dimension.scale === 'ratio' && !isRatio(schema, dimension);
    const fault = isOfNumbers(dimension) ? numberFault(schema, dimension.pointer) : null;
    return [
      ...(isUnknown ? [{ path: `${at}/scale`, message: RATIO_FAULT }] : []),
      ...(fault === null ? [] : [fault]),
    ];
  });
}

const RATIO_FAULT = `needs a number whose schema says "minimum" (0 or more), "maximum" and its steps ("integer" or "multipleOf"), at most ${RATIO_VALUES_MAX} in all, and no "values"`;

/** Agreement on a ratio scale needs to know its numbers: from nought on, and not many. */
function isRatio(schema: FreeForm['schema'], { pointer, values }: FreeFormDimension): boolean {
  const numbers = numbersOf(scaleAt(schema, pointer), RATIO_VALUES_MAX);
  return values === undefined && numbers !== null && (numbers[0] ?? 0) >= 0;
}

/** Numbers of a scale that are tried: all of them, or of a longer one those at its ends and in its middle. */
const TRIED = 1001;

/** Why no number can stand at a pointer of a schema, where that can be told by the schema there. */
function numberFault(schema: FreeForm['schema'], pointer: string): Issue | null {
  const place = pointer.replaceAll('/', '/properties/');
  const there = valueAt(schema, place);
  if (typeof there !== 'object' || there === null || '$ref' in there) {
    return null;
  }
  const path = `/schema${place}`;
  const type = valueAt(there, '/type');
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.includes('number') && !types.includes('integer')) {
    return {
      path: `${path}/type`,
      message: 'is no number, and the dimension that points here is on a scale of numbers',
    };
  }
  return canBeAnswered(there, numbersToTry(schema, pointer))
    ? null
    : { path, message: 'is fulfilled by no number: look at its limits and its steps' };
}

function numbersToTry(schema: FreeForm['schema'], pointer: string): number[] {
  const scale = scaleAt(schema, pointer);
  const all = numbersOf(scale, TRIED);
  if (all !== null) {
    return all;
  }
  const there = valueAt(schema, pointer.replaceAll('/', '/properties/'));
  const step = scale.step ?? 1;
  const lower = scale.min ?? numberAt(there, '/exclusiveMinimum');
  const upper = scale.max ?? numberAt(there, '/exclusiveMaximum');
  const from = lower ?? (upper === null ? 0 : upper - 2 * step);
  const to = upper ?? from + 2 * step;
  const near = [from, from + step, (from + to) / 2, to - step, to];
  return near.flatMap((n) => [n, Math.ceil(n / step) * step, Math.floor(n / step) * step]);
}

function numberAt(schema: unknown, keyword: string): number | null {
  const found = valueAt(schema, keyword);
  return typeof found === 'number' ? found : null;
}

/** True as well where the schema there means nothing by itself. */
function canBeAnswered(schema: object, numbers: readonly number[]): boolean {
  try {
    const validate = compileSchema(schema as Record<string, unknown>);
    return (
      hasOtherWays(schema) ||
      numbers.some((number) => Math.abs(number) <= NUMBER_MAX && validate(number) === true)
    );
  } catch {
    return true;
  }
}

/** Keywords that decide by themselves which numbers there are. */
const hasOtherWays = (schema: object) =>
  ['enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'if'].some((keyword) => keyword in schema);
