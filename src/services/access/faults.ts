import { InputInvalidError } from './errors.js';

type Checks = Readonly<Record<string, () => unknown>>;

/**
 * Runs every check, so that a refusal names the faults of all of them and not only those of the first.
 * @returns what each check found
 * @throws InputInvalidError with the faults in the order of the checks
 */
export function checkAll<T extends Checks>(checks: T): { readonly [K in keyof T]: ReturnType<T[K]> } {
  const faults: InputInvalidError[] = [];
  const found = Object.entries(checks).map(([name, check]) => [name, resultOf(check, faults)]);
  if (faults.length > 0) {
    throw new InputInvalidError(faults.flatMap(({ issues }) => issues));
  }
  return Object.fromEntries(found) as { readonly [K in keyof T]: ReturnType<T[K]> };
}

function resultOf(check: () => unknown, faults: InputInvalidError[]): unknown {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InputInvalidError)) {
      throw error;
    }
    faults.push(error);
    return undefined;
  }
}
