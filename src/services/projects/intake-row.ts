import { ANSWERS_MAX } from '../quality/redundancy/policy.js';

/** One task that an upload asks for. Names of experts are as they were sent; nobody has looked them up yet. */
export interface IntakeTask {
  readonly line: number;
  /** The customer's own name for the item, or null. */
  readonly externalId: string | null;
  /** As it is stored, in UTF-8. */
  readonly payload: Uint8Array;
  readonly contentType: string;
  /** Answers wanted, or null for the project's number. */
  readonly redundancy: number | null;
  /** Three to five answers, whatever the project's policy says. */
  readonly isCritical: boolean;
  /** Only these experts, or null for any. */
  readonly allow: readonly string[] | null;
  /** Never these experts, or null. */
  readonly block: readonly string[] | null;
}

/** One row that cannot become a task, and why, for the customer to read. */
export interface IntakeFault {
  readonly line: number;
  readonly reason: string;
}

export type IntakeRow = IntakeTask | IntakeFault;

/** Says why a row cannot become a task; caught by the parser, row by row. */
export class RowFault extends Error {
  override readonly name = 'RowFault';
}

/** What the rows of an imported file may ask for, of which each item wants as many answers as it has there. */
const MAX_REDUNDANCY = 1000;
const MAX_EXTERNAL_ID_LENGTH = 500;
const MAX_LIST_LENGTH = 1000;
const MAX_CONTENT_TYPE_LENGTH = 200;
const CONTENT_TYPE =
  /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*(\s*;\s*[a-z0-9-]+=("[\x20\x21\x23-\x5b\x5d-\x7e]*"|[\x21\x23-\x3a\x3c-\x7e]+))*$/i;

/** Whether a row is a fault. */
export function isFault(row: IntakeRow): row is IntakeFault {
  return 'reason' in row;
}

/** Whether a row is a task. */
export function isTask(row: IntakeRow): row is IntakeTask {
  return !isFault(row);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a record. Throws RowFault for what no database and no browser shows. */
export function textOf(bytes: Uint8Array): string {
  if (bytes.includes(0)) {
    throw new RowFault('contains a NUL byte');
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw new RowFault('is not valid UTF-8');
  }
}

/** Checks a name that the customer gave to an item. */
export function checkExternalId(value: string): string {
  if (value.length === 0 || value.length > MAX_EXTERNAL_ID_LENGTH) {
    throw new RowFault(
      `has an external id that is empty or longer than ${MAX_EXTERNAL_ID_LENGTH} characters`,
    );
  }
  if (/\p{Surrogate}/u.test(value) || value.includes('\u0000')) {
    throw new RowFault('has an external id with a character that cannot be stored');
  }
  return value;
}

/** Checks how a payload is to be served. */
export function checkContentType(value: string): string {
  if (value.length > MAX_CONTENT_TYPE_LENGTH || !CONTENT_TYPE.test(value)) {
    throw new RowFault('has a content type that is not of the form type/subtype');
  }
  return value;
}

/** Checks a number of answers wanted; more than a task may want only where the file is an imported one. */
export function checkRedundancy(value: unknown, most = MAX_REDUNDANCY): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > most) {
    throw new RowFault(`has a redundancy that is not a whole number from 1 to ${ANSWERS_MAX}`);
  }
  return value;
}

/** Checks whether a task is critical: true or false, which CSV says in words. */
export function checkCritical(value: unknown): boolean {
  if (value !== true && value !== false && value !== 'true' && value !== 'false') {
    throw new RowFault('has a field "critical" that is neither true nor false');
  }
  return value === true || value === 'true';
}

/** Checks a list of experts; an empty one is as good as none. */
export function checkExperts(name: 'allow' | 'block', value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || !value.every((expert) => typeof expert === 'string' && expert.length > 0)) {
    throw new RowFault(`has a field "${name}" that is not a list of expert ids`);
  }
  if (value.length > MAX_LIST_LENGTH) {
    throw new RowFault(`has more than ${MAX_LIST_LENGTH} experts in its ${name} list`);
  }
  return value.length === 0 ? null : [...new Set<string>(value)];
}
