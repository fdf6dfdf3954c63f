import { type Fields, type Turn, turnsOf } from './turns.js';

/** What a JSON payload is, beyond being JSON. */
export type Shape =
  | { readonly kind: 'PAIR'; readonly left: unknown; readonly right: unknown; readonly rest: Fields }
  | { readonly kind: 'CONVERSATION'; readonly turns: readonly Turn[]; readonly rest: Fields }
  | { readonly kind: 'CODE'; readonly text: string; readonly language: string; readonly rest: Fields }
  | { readonly kind: 'FIELDS'; readonly fields: Fields }
  | { readonly kind: 'TREE'; readonly value: unknown };

/** Names that the two answers of a comparison go by. */
const PAIRS = [
  ['left', 'right'],
  ['a', 'b'],
  ['response_a', 'response_b'],
  ['answer_a', 'answer_b'],
] as const;
const TURNS = ['messages', 'conversation', 'turns', 'dialogue'] as const;
/** An object with more entries is data, not a page to read. */
const MOST_FIELDS = 30;

/** Judges by names and types only: a payload that fits none is shown as the JSON that it is. */
export function shapeOf(value: unknown): Shape {
  if (Array.isArray(value)) {
    const turns = turnsOf(value);
    return turns === null ? { kind: 'TREE', value } : { kind: 'CONVERSATION', turns, rest: [] };
  }
  if (!isObject(value)) {
    return { kind: 'FIELDS', fields: [['', value]] };
  }
  return pairOf(value) ?? conversationOf(value) ?? codeOf(value) ?? fieldsOf(value);
}

function pairOf(value: Record<string, unknown>): Shape | null {
  const names = PAIRS.find(([left, right]) => value[left] !== undefined && value[right] !== undefined);
  if (names === undefined) {
    return null;
  }
  const [left, right] = names;
  return { kind: 'PAIR', left: value[left], right: value[right], rest: without(value, names) };
}

function conversationOf(value: Record<string, unknown>): Shape | null {
  const name = TURNS.find((candidate) => Array.isArray(value[candidate]));
  const turns = name === undefined ? null : turnsOf(value[name] as unknown[]);
  return name === undefined || turns === null
    ? null
    : { kind: 'CONVERSATION', turns, rest: without(value, [name]) };
}

function codeOf(value: Record<string, unknown>): Shape | null {
  const { code, language } = value;
  return typeof code === 'string'
    ? {
        kind: 'CODE',
        text: code,
        language: typeof language === 'string' ? language : '',
        rest: without(value, ['code', 'language']),
      }
    : null;
}

function fieldsOf(value: Record<string, unknown>): Shape {
  const fields = Object.entries(value);
  return fields.length > 0 && fields.length <= MOST_FIELDS
    ? { kind: 'FIELDS', fields }
    : { kind: 'TREE', value };
}

const without = (value: Record<string, unknown>, names: readonly string[]): Fields =>
  Object.entries(value).filter(([name]) => !names.includes(name));

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
