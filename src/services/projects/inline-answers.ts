import type { StoringBatch } from './batches.sql.js';
import { taskOfJsonLine } from './intake-jsonl.js';
import { wantedOf } from './intake-queue-rows.js';
import { type IntakeTask, RowFault } from './intake-row.js';

type Asking = Pick<StoringBatch, 'redundancy' | 'isAdaptive'>;

/**
 * Answers that the tasks of an inline batch are opened with, as far as can be told before anybody is looked up: rows that will be
 * refused as faulty want none.
 */
export const answersOf = (lines: readonly string[], batch: Asking): number =>
  lines.reduce((sum, text, index) => sum + wantsOf(taskOf(text, index + 1), batch), 0);

function taskOf(text: string, line: number): IntakeTask | null {
  try {
    return taskOfJsonLine(Buffer.from(text), line);
  } catch (error) {
    if (error instanceof RowFault) {
      return null;
    }
    throw error;
  }
}

function wantsOf(task: IntakeTask | null, batch: Asking): number {
  if (task === null) {
    return 0;
  }
  const blocked = new Set(task.block);
  const able = task.allow?.filter((name) => !blocked.has(name)).length ?? Number.POSITIVE_INFINITY;
  const wanted = wantedOf(task, { batch, able });
  return able < wanted ? 0 : wanted;
}
