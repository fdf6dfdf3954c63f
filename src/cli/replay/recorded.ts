import { StartupError } from '../../runtime/startup-error.js';
import type { StoringParts } from '../../services/projects/batch-storing.js';
import type { CrowdSet } from '../../services/projects/crowd-set.js';
import { exportAnswers } from '../../services/projects/export.js';
import { readStoredSet } from '../../services/projects/import.js';
import type { ImportedProject } from '../../services/projects/import.sql.js';
import { readImportKey } from '../../services/projects/import-key.js';

/** The answers that a project is to be replayed with. Throws StartupError where there are none. */
export async function recordedSet(parts: StoringParts, project: ImportedProject): Promise<CrowdSet> {
  const key = readImportKey(project.idempotencyKey);
  if (key === null || !key.replay) {
    throw new StartupError(
      'This project was not imported for a replay: its tasks are not reserved for the workers recorded for them.',
      'Import its file again with --replay.',
    );
  }
  return readStoredSet(parts, { tenantId: project.tenantId, fileKey: key.fileKey });
}

/** How the stored answers of a project compare with those of its file. */
export interface Comparison {
  /** Answers stored exactly as recorded, by `pairOf`. */
  readonly stored: ReadonlySet<string>;
  /** What is stored and should not be, in words; at most a few. */
  readonly wrong: readonly string[];
  readonly wrongCount: number;
}

const MOST_WRONG_KEPT = 5;

/** Reads what is stored and holds it against the file: each answer at most once, and as recorded. */
export async function compareStored(
  parts: StoringParts,
  { project, set, actorId }: { project: ImportedProject; set: CrowdSet; actorId: bigint },
): Promise<Comparison> {
  const stored = new Set<string>();
  const wrong: string[] = [];
  let wrongCount = 0;
  for await (const { item, worker, label } of exportAnswers(parts.db, { ...project, actorId })) {
    const pair = pairOf(worker, item ?? '');
    const recorded = set.items.get(item ?? '')?.get(worker);
    if (recorded !== label || stored.has(pair)) {
      wrongCount += 1;
      if (wrong.length < MOST_WRONG_KEPT) {
        wrong.push(
          `item ${item}, worker ${worker}: ${label} is stored${recorded === label ? ' twice' : `, not ${recorded}`}`,
        );
      }
    }
    stored.add(pair);
  }
  return { stored, wrong, wrongCount };
}

/** One key for a worker and an item, whatever characters they have. */
export function pairOf(worker: string, item: string): string {
  return `${worker.length}:${worker}${item}`;
}
