import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'vitest';

// Maps and recorded answers of a real router are not part of the repository: TOUCHSTONE_GEO names the directory that holds them.
const GEO = resolve(process.env.TOUCHSTONE_GEO ?? '../shared/geo');

/** The path of a file of them, whether it is there or not. */
export const geoFile = (name: string): string => join(GEO, name);

/** `test` for what needs these files: skipped, with a line that says why, where one of them is not there. */
export function testWithGeo(
  ...names: readonly string[]
): (name: string, run: () => Promise<void>, timeoutMs?: number) => void {
  const missing = names.map(geoFile).filter((path) => !existsSync(path));
  for (const path of missing) {
    console.log(`not run: ${path} is not there (set TOUCHSTONE_GEO to the directory of maps)`);
  }
  return missing.length === 0 ? test : notRun;
}

/** By the end of the name scripts/test.mjs knows that nothing is wrong. */
const notRun = (name: string) =>
  test.skipIf(true)(`${name} (not run: a public set is not there)`, () => undefined);
