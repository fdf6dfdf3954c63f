import { counted } from '../platform/counted.js';
import { ANSWERS_MAX, criticalAnswers } from '../quality/redundancy/policy.js';
import { checkRedundancy, type IntakeTask, RowFault } from './intake-row.js';

/** What a batch asks for each of its tasks. */
export interface Asking {
  /** Answers that a task is opened with where its row says nothing. */
  readonly redundancy: number;
  /** Whether answers decide how many there are. */
  readonly isAdaptive: boolean;
  /** IMPORT: each item wants as many answers as it has. */
  readonly origin: string;
}

/** The experts that a row names, by whatever they go by. */
interface Named<Expert> {
  readonly batch: Asking;
  readonly allow: readonly Expert[] | null;
  readonly block: readonly Expert[] | null;
}

/** The answers that a task is opened with. Throws RowFault where its lists leave fewer experts than that. */
export function wantedByAble<Expert>(row: IntakeTask, { batch, allow, block }: Named<Expert>): number {
  const blocked = new Set(block);
  const able = allow?.filter((expert) => !blocked.has(expert)).length ?? Number.POSITIVE_INFINITY;
  const wanted = wantedOf(row, batch, able);
  if (able < wanted) {
    throw new RowFault(
      `wants ${counted(wanted, 'answer')} but leaves only ${counted(able, 'expert')} to give ${wanted === 1 ? 'it' : 'them'}`,
    );
  }
  return wanted;
}

/**
 * The answers that a task is opened with. Under a policy a task that is reserved for fewer experts than the policy begins
 * with begins with all of them: it goes on as far as its list reaches.
 */
function wantedOf(row: IntakeTask, { redundancy, isAdaptive, origin }: Asking, able: number): number {
  const wanted =
    row.redundancy === null || origin === 'IMPORT'
      ? (row.redundancy ?? redundancy)
      : checkRedundancy(row.redundancy, ANSWERS_MAX);
  if (row.isCritical) {
    return criticalAnswers(wanted);
  }
  return row.redundancy === null && isAdaptive && able > 0 ? Math.min(wanted, able) : wanted;
}
