import { InputInvalidError } from '../services/access/errors.js';

/**
 * What a field says that may be null but not left out, where null takes something away.
 * @throws InputInvalidError where it was left out
 */
export function said<T>(path: string, value: T | null | undefined): T | null {
  if (value === undefined) {
    throw new InputInvalidError([{ path, message: 'Say a value, or null.' }]);
  }
  return value;
}
