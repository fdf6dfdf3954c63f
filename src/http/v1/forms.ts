import { z } from 'zod';
import { parseBigInt, parseInstant } from '../../resolvers/scalars.js';

/** A whole number of 64 bits: digits in a string, or a plain number. */
export const int64 = z.unknown().transform(converted(parseBigInt));

/** An instant: ISO 8601 with date, time and zone. */
export const instant = z.unknown().transform(converted(parseInstant));

function converted<T>(parse: (value: unknown) => T) {
  return (value: unknown, check: z.RefinementCtx): T => {
    try {
      return parse(value);
    } catch (error) {
      check.addIssue({
        code: 'custom',
        message: error instanceof Error ? error.message : 'is not acceptable',
      });
      return z.NEVER;
    }
  };
}
