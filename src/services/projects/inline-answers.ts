import type { InputIssue } from '../access/errors.js';
import type { StoringBatch } from './batches.sql.js';
import { taskOfJsonLine } from './intake-jsonl.js';
import { tooFewFor, wantedOf } from './intake-queue-rows.js';
import { type IntakeTask, RowFault } from './intake-row.js';

type Asking = Pick<StoringBatch, 'redundancy' | 'isAdaptive' | 'origin'>;

/** What an inline batch asks for, as far as can be told before anybody is looked up. */
export interface InlineAsk {
  /** Answers that its tasks are opened with; rows that will be refused as faulty want none. */
  readonly answers: number;
  /** Those rows, and why. */
  readonly issues: readonly InputIssue[];
}

export function askOf(lines: readonly string[], batch: Asking): InlineAsk {
  const issues: InputIssue[] = [];
  let answers = 0;
  for (const [index, text] of lines.entries()) {
    try {
      answers += wantsOf(taskOfJsonLine(Buffer.from(text), index + 1), batch);
    } catch (error) {
      if (!(error instanceof RowFault)) {
        throw error;
      }
      issues.push({ path: `/tasks/${index}`, message: `The task ${error.message}.` });
    }
  }
  return { answers, issues };
}

function wantsOf(task: IntakeTask, batch: Asking): number {
  const blocked = new Set(task.block);
  const able = task.allow?.filter((name) => !blocked.has(name)).length ?? Number.POSITIVE_INFINITY;
  const wanted = wantedOf(task, { batch, able });
  if (able < wanted) {
    throw tooFewFor(wanted, able);
  }
  return wanted;
}
