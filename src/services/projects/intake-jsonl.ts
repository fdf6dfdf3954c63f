import { betweenTexts } from '../platform/json-texts.js';
import {
  checkContentType,
  checkCritical,
  checkExperts,
  checkExternalId,
  checkRedundancy,
  type IntakeTask,
  RowFault,
  textOf,
} from './intake-row.js';

const FIELDS = ['externalId', 'payload', 'contentType', 'redundancy', 'critical', 'allow', 'block'];

const encoder = new TextEncoder();

/**
 * One line of JSONL as a task. An object with a `payload` is an envelope:
 * `{"payload": any, "externalId"?, "contentType"?, "redundancy"?, "critical"?, "allow"?: [expert], "block"?: [expert]}`
 * and nothing else, so that a misspelt field is told and not lost. Any other object is itself the payload; where it has
 * an `id` (text or a whole number), that is the item's external id as well. Throws RowFault.
 */
export function taskOfJsonLine(bytes: Uint8Array, line: number): IntakeTask {
  const text = textOf(bytes);
  const row = objectOf(text);
  if (!Object.hasOwn(row, 'payload')) {
    const id = typeof row.id === 'string' || Number.isSafeInteger(row.id) ? String(row.id) : null;
    // The row's own bytes: numbers that JavaScript cannot hold stay as they were sent.
    const payload = { ...payloadOf(row), payload: encoder.encode(text.trim()) };
    return { line, ...payload, ...NO_WISHES, externalId: id === null ? null : checkExternalId(id) };
  }
  checkNumbers(text);
  const unknown = Object.keys(row).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    throw new RowFault(`has an unknown field ${JSON.stringify(unknown.slice(0, 50))} beside its payload`);
  }
  if (row.payload === null || row.payload === '') {
    throw new RowFault('has no payload');
  }
  const { contentType, ...payload } = payloadOf(row.payload);
  return {
    line,
    ...payload,
    contentType: given(row.contentType) ? checkContentType(String(row.contentType)) : contentType,
    externalId: given(row.externalId) ? checkExternalId(namedBy(row.externalId)) : null,
    redundancy: given(row.redundancy) ? checkRedundancy(row.redundancy) : null,
    isCritical: given(row.critical) && checkCritical(row.critical),
    allow: given(row.allow) ? checkExperts('allow', row.allow) : null,
    block: given(row.block) ? checkExperts('block', row.block) : null,
  };
}

/** An envelope's payload is read and written again, so a number that would change on the way is a fault. */
function checkNumbers(text: string): void {
  if (!LARGE_NUMBER.test(text)) {
    return;
  }
  for (const between of betweenTexts(text)) {
    for (const [token] of between.matchAll(NUMBERS)) {
      const isInteger = /^-?\d+$/.test(token);
      if (!Number.isFinite(Number(token)) || (isInteger && !Number.isSafeInteger(Number(token)))) {
        throw new RowFault(`has the number ${token.slice(0, 40)}, which would be changed: send it as text`);
      }
    }
  }
}

/** With fewer digits and no exponent none is beyond what JavaScript holds. */
const LARGE_NUMBER = /\d{16}|\d[eE]/;
const NUMBERS = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The bytes experts will see, and how they are served unless the row says otherwise. */
export function payloadOf(value: unknown): Pick<IntakeTask, 'payload' | 'contentType'> {
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) {
      throw new RowFault('has a payload with half a character in it (a lone surrogate)');
    }
    return { payload: encoder.encode(value), contentType: 'text/plain; charset=utf-8' };
  }
  return { payload: encoder.encode(serialise(value)), contentType: 'application/json' };
}

/** A row without wishes of its own. */
export const NO_WISHES = { redundancy: null, isCritical: false, allow: null, block: null } as const;

function objectOf(text: string): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RowFault('is not a JSON object');
  }
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Only the position: the engine's message quotes the customer's data.
    const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    throw new RowFault(
      `is not valid JSON${position === undefined ? '' : ` (at character ${Number(position) + 1})`}`,
    );
  }
}

function serialise(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new RowFault('is nested too deeply');
    }
    throw error;
  }
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function namedBy(value: unknown): string {
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) {
    throw new RowFault('has an external id that is neither text nor a whole number');
  }
  return String(value);
}
