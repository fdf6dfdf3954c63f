import { DomainError } from '../platform/errors.js';
import type { Issue } from './json-value.js';

/** The answer does not fit its task type. `issues` has every fault with its JSON pointer (at most 100). */
export class AnswerInvalidError extends DomainError {
  readonly code = 'ANSWER_INVALID';
  constructor(readonly issues: readonly Issue[]) {
    super(`The answer does not fit the task: ${summaryOf(issues)}`);
  }
}

/** The definition of a task type cannot be accepted. `issues` has every fault with its JSON pointer. */
export class TaskTypeInvalidError extends DomainError {
  readonly code = 'TASK_TYPE_INVALID';
  constructor(readonly issues: readonly Issue[]) {
    super(`The task type cannot be used: ${summaryOf(issues)}`);
  }
}

/** The draft is larger, or nested deeper, than a draft may be. */
export class DraftTooLargeError extends DomainError {
  readonly code = 'DRAFT_TOO_LARGE';
  constructor(readonly maxBytes: number) {
    super(`A draft may have at most ${maxBytes} bytes and a moderate depth. The last smaller one is kept.`);
  }
}

function summaryOf(issues: readonly Issue[]): string {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return first === undefined ? 'it is not valid.' : `${first.path || 'it'} ${first.message}${more}.`;
}
