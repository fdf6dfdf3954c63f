import { badInput } from './api-errors.js';

// How the API's scalars are read; the same for GraphQL and the plain HTTP calls.

/** Nesting of a JSON value that is sent. */
export const JSON_DEPTH_MAX = 64;
const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n } as const;
const YEARS = { min: 1970, max: 9999 } as const;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** An instant from ISO 8601 with a zone. @throws BAD_USER_INPUT */
export function parseInstant(value: unknown): Date {
  const instant = typeof value === 'string' && INSTANT.test(value) ? new Date(value) : null;
  const year = instant?.getUTCFullYear() ?? Number.NaN;
  // Date accepts the 31st of February and answers March: what comes back must be the day that was written.
  if (instant === null || !(year >= YEARS.min && year <= YEARS.max) || !isRealDay(String(value))) {
    throw badInput(`Give an instant such as "2027-01-31T09:30:00Z", from ${YEARS.min} to ${YEARS.max}.`);
  }
  return instant;
}

function isRealDay(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** A whole number of 64 bits. @throws BAD_USER_INPUT */
export function parseBigInt(value: unknown): bigint {
  const isWhole =
    typeof value === 'number' ? Number.isSafeInteger(value) : /^-?\d{1,19}$/.test(String(value));
  const parsed = isWhole && (typeof value === 'number' || typeof value === 'string') ? BigInt(value) : null;
  if (parsed === null || parsed < INT64.min || parsed > INT64.max) {
    throw badInput('Give a whole number of at most 64 bits, as a string of digits.');
  }
  return parsed;
}

/** An ISO 4217 code. @throws BAD_USER_INPUT */
export function parseCurrency(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Z]{3}$/.test(value)) {
    throw badInput('Give an ISO 4217 code: three capital letters, such as "EUR".');
  }
  return value;
}

/**
 * Any JSON value of bounded depth. Whatever walks it afterwards does so by recursion; this does not.
 * @throws BAD_USER_INPUT
 */
export function boundedJson(value: unknown): unknown {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > JSON_DEPTH_MAX) {
      throw badInput(`A JSON value may be nested at most ${JSON_DEPTH_MAX} deep.`);
    }
    level = level.flatMap((v) => (typeof v === 'object' && v !== null ? Object.values(v) : []));
  }
  return value;
}
