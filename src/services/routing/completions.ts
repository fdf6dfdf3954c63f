import type { Database } from '../platform/database.js';
import { pgQueryable } from '../platform/pg-queryable.js';
import { type Completion, completedBy, type Submitted } from './completions.sql.js';

/** How long tasks took, as this process completed them: for metrics. A submit only leaves its number here. */
export interface Completions {
  /** Remembers that a submit was answered with its receipt. */
  note(submitted: Submitted): void;
  /** What the submits noted since the last call completed. */
  take(): Promise<Completion[]>;
}

/** Nobody asks for metrics: then what comes later than this is left out, and nothing grows. */
const KEPT = 20_000;
const ASKED_AT_ONCE = 1_000;

/** Starts with nothing noted. The times are the database's; they are read when they are asked for, many at once. */
export function createCompletions(db: Database): Completions {
  let noted = new Map<string, Submitted>();
  let before = new Map<string, Submitted>();
  return {
    note(submitted) {
      // The same submit may be sent again, and is answered with its receipt each time.
      const key = `${submitted.tenantId}/${submitted.assignmentId}`;
      if (noted.size < KEPT && !before.has(key)) {
        noted.set(key, submitted);
      }
    },
    async take() {
      before = noted;
      noted = new Map();
      const taken = [...before.values()];
      const found: Completion[] = [];
      for (let from = 0; from < taken.length; from += ASKED_AT_ONCE) {
        const some = taken.slice(from, from + ASKED_AT_ONCE);
        found.push(...(await completedBy(pgQueryable(db.systemPool), some)));
      }
      return found;
    },
  };
}
