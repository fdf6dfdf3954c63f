import { GraphQLError } from 'graphql';
import { InputInvalidError } from '../services/access/errors.js';
import { DomainError, RetryLaterError } from '../services/platform/errors.js';
import type { IdCodec } from '../services/platform/ids.js';
import { HoldsAnotherError, LeaseExpiredError, StaleLeaseError } from '../services/routing/errors.js';
import { AnswerInvalidError, TaskTypeInvalidError } from '../services/tasks/answer-errors.js';
import { badRequest, HttpProblem } from './problem.js';

/** The status of each refusal; what is not listed is a conflict with how things stand. */
const STATUS: Readonly<Record<string, number>> = {
  RATE_LIMITED: 429,
  OVERLOADED: 503,
  HOT_INDEX_UNAVAILABLE: 503,
  HOT_INDEX_BROKEN: 503,
  SERVICE_UNAVAILABLE: 503,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  OFF_SHIFT: 403,
  NOT_FOUND: 404,
  ASSIGNMENT_NOT_FOUND: 404,
  DRAFT_TOO_LARGE: 413,
  UPLOAD_TOO_LARGE: 413,
  ANSWER_INVALID: 422,
  INPUT_INVALID: 422,
  TASK_TYPE_INVALID: 422,
};
const CONFLICT = 409;

/** The problem that a refusal is answered as; null for an error that is none: a bug or an outage. */
export function problemOf(error: unknown, ids: IdCodec): HttpProblem | null {
  if (error instanceof HttpProblem) {
    return error;
  }
  if (error instanceof GraphQLError && error.extensions.code === 'BAD_USER_INPUT') {
    return badRequest(error.message);
  }
  if (!(error instanceof DomainError)) {
    return null;
  }
  const status = STATUS[error.code] ?? CONFLICT;
  return new HttpProblem(status, error.code, {
    message: error.message,
    headers: headersOf(error, status),
    extra: extraOf(error, ids),
  });
}

function headersOf(error: DomainError, status: number): Record<string, string> {
  if (error instanceof RetryLaterError) {
    return { 'Retry-After': String(error.retryAfterSeconds) };
  }
  return status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
}

/** What a client acts on beside the code; the same fields as in GraphQL. */
function extraOf(error: DomainError, ids: IdCodec): Record<string, unknown> {
  if (error instanceof RetryLaterError) {
    return { retryAfterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof LeaseExpiredError) {
    return { reclaimable: error.reclaimable };
  }
  if (error instanceof StaleLeaseError) {
    return { currentEpoch: error.currentEpoch };
  }
  if (error instanceof HoldsAnotherError) {
    return { heldAssignmentId: ids.encode('Assignment', error.heldAssignmentId) };
  }
  if (
    error instanceof InputInvalidError ||
    error instanceof AnswerInvalidError ||
    error instanceof TaskTypeInvalidError
  ) {
    return { issues: error.issues.slice(0, 100) };
  }
  return {};
}
