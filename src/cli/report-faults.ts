import type { IntakeFault } from '../services/projects/intake-row.js';

const FAULTS_SHOWN = 10;

/** Tells on standard error which rows of a file were left out, and why: the first ten. */
export function reportFaults(file: string, faults: readonly IntakeFault[]): void {
  for (const { line, reason } of faults.slice(0, FAULTS_SHOWN)) {
    process.stderr.write(`${file}, line ${line}: ${reason}\n`);
  }
  if (faults.length > FAULTS_SHOWN) {
    process.stderr.write(`${file}: ${faults.length - FAULTS_SHOWN} more bad rows.\n`);
  }
}
