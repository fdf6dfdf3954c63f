import { DomainError } from '../platform/errors.js';

/** One fault of an input: where, as a JSON pointer, and what to do about it. */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
}

/** So many faults stand in the message; the rest is counted there, and named in `issues`. */
const TOLD = 10;

/** Fields of the input are not acceptable; nothing was done. */
export class InputInvalidError extends DomainError {
  readonly code = 'INPUT_INVALID';
  constructor(readonly issues: readonly InputIssue[]) {
    const told = issues.slice(0, TOLD).map((issue) => `${issue.path || '/'}: ${issue.message}`);
    super([...told, ...(issues.length > TOLD ? [`And ${issues.length - TOLD} more.`] : [])].join(' '));
  }
}

/** A thing that the input names does not exist in the caller's tenant, or is not theirs. */
export class NotFoundError extends DomainError {
  readonly code = 'NOT_FOUND';
  constructor(readonly what: string) {
    super(`There is no such ${what}.`);
  }
}

/** The name is taken already inside the tenant. */
export class NameTakenError extends DomainError {
  readonly code = 'NAME_TAKEN';
  constructor(what: string, name: string) {
    super(`There is a ${what} called "${name}" already: choose another name.`);
  }
}

/** The token does not say, or does not prove, who asks. A top-level error, never a member of a result union. */
export class UnauthenticatedError extends DomainError {
  readonly code = 'UNAUTHENTICATED';
}

/** Who asks is known, and may not do this in the role of their token. A top-level error as well. */
export class ForbiddenError extends DomainError {
  readonly code = 'FORBIDDEN';
}
