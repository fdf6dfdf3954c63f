import { valueAt } from './json-value.js';

/** What is known of a scale of numbers; null where it is not. */
interface NumberScale {
  readonly min: number | null;
  readonly max: number | null;
  /** What answers are whole multiples of. */
  readonly step: number | null;
}

/** Above it integers are not exact any more, and sums of squares of differences would leave what a number can hold. */
export const NUMBER_MAX = 1e15;

/** What a tolerance may be: beyond, sums of squares could not be written down. */
export const TOLERANCE_MIN = 1e-9;
export const TOLERANCE_MAX = 1e12;

/** The share of a scale's length that numbers may be apart and still say the same. */
const SHARE = 1 / 20;

/**
 * How far apart two numbers may be that say the same, where the task type does not say: half a step, for a step is what the
 * scale rounds to, and a twentieth of the scale's length at least. Two answers at random over the length are that near each
 * other with probability 2/20 - 1/400, less than one time in ten. Null where neither is known: only equal numbers
 * are the same then.
 */
export function defaultTolerance({ min, max, step }: NumberScale): number | null {
  const ofLength = min === null || max === null ? 0 : (max - min) * SHARE;
  const tolerance = Math.max(ofLength, (step ?? 0) / 2);
  return tolerance > 0
    ? Math.min(TOLERANCE_MAX, Math.max(TOLERANCE_MIN, Number(tolerance.toPrecision(12))))
    : null;
}

/** Every number of a scale, from lowest to highest; null where it is not known, or has more than `most`. */
export function numbersOf({ min, max, step }: NumberScale, most = Number.POSITIVE_INFINITY): number[] | null {
  if (min === null || max === null || step === null || step <= 0 || max < min) {
    return null;
  }
  const [first, last] = [Math.ceil(min / step - 1e-9), Math.floor(max / step + 1e-9)];
  return last - first >= most
    ? null
    : Array.from({ length: last - first + 1 }, (_, n) => Number(((first + n) * step).toFixed(9)));
}

/** What a JSON Schema says of the number at a pointer, by the properties on the way there. */
export function scaleAt(schema: unknown, pointer: string): NumberScale {
  const at = valueAt(schema, pointer.replaceAll('/', '/properties/'));
  const numberAt = (keyword: string) => {
    const found = valueAt(at, `/${keyword}`);
    return typeof found === 'number' ? found : null;
  };
  const step = numberAt('multipleOf') ?? (valueAt(at, '/type') === 'integer' ? 1 : null);
  return { min: numberAt('minimum'), max: numberAt('maximum'), step };
}
