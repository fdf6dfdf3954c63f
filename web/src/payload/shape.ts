/** What a JSON payload is, beyond being JSON. */
export type Shape =
  | { readonly kind: 'PAIR'; readonly left: unknown; readonly right: unknown; readonly rest: Fields }
  | { readonly kind: 'CONVERSATION'; readonly turns: readonly Turn[]; readonly rest: Fields }
  | { readonly kind: 'CODE'; readonly text: string; readonly language: string; readonly rest: Fields }
  | { readonly kind: 'FIELDS'; readonly fields: Fields }
  | { readonly kind: 'TREE'; readonly value: unknown };

export type Fields = readonly (readonly [name: string, value: unknown])[];

export interface Turn {
  readonly who: string;
  /** What was said: texts, and pictures as `data:` addresses, in their order. */
  readonly said: readonly string[];
}

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

function turnsOf(values: readonly unknown[]): Turn[] | null {
  const turns = values.map((value) => {
    const { role, speaker, from, content, text } = isObject(value) ? value : {};
    const who = [role, speaker, from].find((name) => typeof name === 'string');
    const said = saidOf(content) ?? saidOf(text);
    return typeof who === 'string' && said !== null ? { who, said } : null;
  });
  return turns.length > 0 && turns.every((turn) => turn !== null) ? turns : null;
}

/** A text, or a list of texts and pictures as the interfaces of language models have them; null where it is neither. */
function saidOf(content: unknown): readonly string[] | null {
  if (typeof content === 'string') {
    return [content];
  }
  const parts = Array.isArray(content) ? content.map(partOf) : [];
  return parts.length > 0 && parts.every((part) => part !== null) ? parts : null;
}

function partOf(part: unknown): string | null {
  if (!isObject(part)) {
    return typeof part === 'string' ? part : null;
  }
  const { text, image_url: linked, source } = part;
  if (isObject(source) && source.type === 'base64') {
    return `data:${source.media_type};base64,${source.data}`;
  }
  const [said] = [text, linked, ...[linked, source].map((one) => (isObject(one) ? one.url : null))].filter(
    (one) => typeof one === 'string',
  );
  return typeof said === 'string' ? said : null;
}

const without = (value: Record<string, unknown>, names: readonly string[]): Fields =>
  Object.entries(value).filter(([name]) => !names.includes(name));

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
