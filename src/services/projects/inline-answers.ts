import type { InputIssue } from '../access/errors.js';
import { taskOfJsonLine } from './intake-jsonl.js';
import { RowFault } from './intake-row.js';
import { type Asking, wantedByAble } from './intake-wants.js';

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
      const task = taskOfJsonLine(Buffer.from(text), index + 1);
      answers += wantedByAble(task, { batch, allow: task.allow, block: task.block });
    } catch (error) {
      if (!(error instanceof RowFault)) {
        throw error;
      }
      issues.push({ path: `/tasks/${index}`, message: `The task ${error.message}.` });
    }
  }
  return { answers, issues };
}
