import { StartupError } from '../runtime/startup-error.js';
import { withSystem } from '../services/platform/database.js';
import type { StoringParts } from '../services/projects/batch-storing.js';
import { findProject, type ImportedProject } from '../services/projects/import.sql.js';

/** The project that an argument of the command line names, whatever its tenant. */
export async function findCommandProject(parts: StoringParts, argument: string): Promise<ImportedProject> {
  const decoded = parts.ids.decode(argument);
  const found =
    decoded?.type === 'Project' ? await withSystem(parts.db, (tx) => findProject(tx, decoded.id)) : null;
  if (found === null) {
    throw new StartupError(
      `There is no project ${argument} in this installation.`,
      'Give the id that `touchstone import --json` or the API printed.',
    );
  }
  return found;
}
