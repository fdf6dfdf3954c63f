import { canonicalJson, sha256Hex } from '../platform/canonical.js';
import { AnswerInvalidError, DraftTooLargeError } from './answer-errors.js';
import { issuesOf } from './answer-messages.js';
import { type AnswerRules, validatorOf } from './answer-validators.js';
import { type Issue, jsonFaults, valueAt } from './json-value.js';
import type { Dimension } from './task-types.js';
import { NUMBER_MAX } from './tolerances.js';

/**
 * The largest answer, in bytes of its canonical form. The same as a draft's, because a late submit must be able to
 * keep any acceptable answer as the draft.
 */
export const MAX_ANSWER_BYTES = 65_536;
export const MAX_DRAFT_BYTES = 65_536;

/** Answers are compared by short values; longer texts belong beside a dimension. */
const MAX_VALUE_LENGTH = 1000;

/** What one dimension of an answer says: text if it is nominal, else a number. Never both, never neither. */
export interface AnswerValue {
  readonly dimension: string;
  readonly text: string | null;
  readonly number: number | null;
}

/** An answer as it is stored. */
export interface ValidAnswer {
  /** RFC 8785: the same answer has the same bytes, however it was written. */
  readonly canonical: string;
  /** SHA-256 of the canonical form in hex. Two submits are "the same" when these are. */
  readonly digest: string;
  /** One value for each dimension that the answer has; a dimension left open (free form only) has none. */
  readonly values: readonly AnswerValue[];
}

/**
 * Checks an answer against its task type and gives it in the form to store. Throws AnswerInvalidError with every
 * fault: what is not JSON or too large first, then everything the schema and the dimensions object to.
 */
export function validateAnswer(rules: AnswerRules, answer: unknown): ValidAnswer {
  refuse(jsonFaults(answer));
  const canonical = canonicalJson(answer);
  if (Buffer.byteLength(canonical) > MAX_ANSWER_BYTES) {
    refuse([{ path: '', message: `may have at most ${MAX_ANSWER_BYTES} bytes` }]);
  }
  const { validate, dimensions } = validatorOf(rules);
  refuse(validate(answer) ? [] : issuesOf(validate.errors ?? []));
  const issues: Issue[] = [];
  const values = dimensions.flatMap((dimension) => readDimension(dimension, answer, issues));
  refuse(issues);
  return { canonical, digest: sha256Hex(canonical), values };
}

/** Nobody is surer than to a millionth; and what is smaller than that is nothing to PostgreSQL's `real`. */
const CONFIDENCE_STEPS = 1_000_000;

/**
 * Checks how sure an expert says they are, 0 to 1 or not at all; rounds it to a millionth. Throws AnswerInvalidError with the path
 * `confidence`: without a slash, because it stands beside the answer and not in it.
 */
export function validateConfidence(confidence: number | null | undefined): number | null {
  if (confidence === null || confidence === undefined) {
    return null;
  }
  if (!(confidence >= 0 && confidence <= 1)) {
    refuse([{ path: 'confidence', message: 'must be from 0 to 1' }]);
  }
  return Math.round(confidence * CONFIDENCE_STEPS) / CONFIDENCE_STEPS;
}

/**
 * Checks what a client says of itself or its form: 1 to 100 letters, digits and _ . : + - or nothing. Throws
 * AnswerInvalidError with the field's name as the path.
 */
export function validateLabel(path: string, text: string | null | undefined): string | null {
  if (text === null || text === undefined) {
    return null;
  }
  if (!/^[A-Za-z0-9_.:+-]{1,100}$/.test(text)) {
    refuse([{ path, message: 'must be 1 to 100 letters, digits and _ . : + -' }]);
  }
  return text;
}

/** A draft as it is stored: any JSON. Throws DraftTooLargeError beyond MAX_DRAFT_BYTES or any sensible depth. */
export function encodeDraft(draft: unknown): string {
  const body = jsonOf(draft);
  if (body === null || Buffer.byteLength(body) > MAX_DRAFT_BYTES) {
    throw new DraftTooLargeError(MAX_DRAFT_BYTES);
  }
  return body;
}

function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    // Depth of the order of the stack: tens of thousands of levels fit into 64 KiB.
    if (error instanceof RangeError) {
      return null;
    }
    throw error;
  }
}

function readDimension(dimension: Dimension, answer: unknown, issues: Issue[]): AnswerValue[] {
  const found = valueAt(answer, dimension.pointer);
  if (found === undefined || found === null) {
    return [];
  }
  const value = dimension.scale === 'nominal' ? nominal(found) : numeric(dimension, found);
  if (typeof value === 'object') {
    issues.push({ path: dimension.pointer, message: value.fault });
    return [];
  }
  const isText = typeof value === 'string';
  return [{ dimension: dimension.name, text: isText ? value : null, number: isText ? null : value }];
}

function nominal(value: unknown): string | { fault: string } {
  if (typeof value === 'object') {
    return { fault: 'must be text, a number, or true or false: answers are compared by it' };
  }
  const text = String(value);
  if (text.length > MAX_VALUE_LENGTH) {
    return { fault: `may have at most ${MAX_VALUE_LENGTH} characters: answers are compared by it` };
  }
  // PostgreSQL's text cannot hold it.
  return text.includes('\u0000') ? { fault: 'contains a NUL character' } : text;
}

/** Ordinal text counts by its rank, so that "one step apart" means the same in every dimension. */
function numeric({ scale, values }: Dimension, value: unknown): number | { fault: string } {
  if (typeof value === 'number') {
    return Math.abs(value) <= NUMBER_MAX
      ? value
      : { fault: `must be from -${NUMBER_MAX} to ${NUMBER_MAX}: answers are compared by it` };
  }
  if (scale === 'interval' || values === undefined) {
    return { fault: 'must be a number: answers are compared by it' };
  }
  const rank = values.indexOf(value as string);
  return rank >= 0
    ? rank
    : { fault: `must be one of ${values.map((one) => JSON.stringify(one)).join(', ')}` };
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) {
    throw new AnswerInvalidError(issues);
  }
}
