import { isDeeper } from './depth.js';

/** Named values in their order. */
export type Fields = readonly (readonly [name: string, value: unknown])[];

/** A tool that is called, with what it is given. */
export interface Call {
  readonly kind: 'CALL';
  readonly name: string;
  readonly input: unknown;
}

/** What a tool answered. */
export interface Result {
  readonly kind: 'RESULT';
  /** The tool; null where that is not told. */
  readonly of: string | null;
  readonly said: readonly unknown[];
}

/** One part of a turn: a text, a picture as a `data:` address, a call, or what came of one. */
export type Part = string | Call | Result;

export interface Turn {
  readonly who: string;
  /** In their order. */
  readonly said: readonly Part[];
  /** What else the turn has; absent where there is nothing. */
  readonly rest?: Fields;
}

type Json = Readonly<Record<string, unknown>>;
/** Names of tools by the ids of their calls. */
type Tools = ReadonlyMap<string, string>;

const SPEAKERS = ['role', 'speaker', 'from'] as const;
/** What a turn is made of, and what only programs need. */
const KNOWN = new Set([...SPEAKERS, 'content', 'tool_calls', 'function_call', 'tool_call_id', 'id', 'type']);
const ANSWERING = new Set(['tool', 'function']);

/** A list of turns, as people and the interfaces of language models write them; null where it is none. */
export function turnsOf(values: readonly unknown[]): Turn[] | null {
  const tools = toolsOf(values);
  const turns = values.map((value) =>
    isObject(value) ? (turnOf(value, tools) ?? itemOf(value, tools)) : null,
  );
  return turns.length > 0 && turns.every((turn) => turn !== null) ? turns : null;
}

function turnOf(value: Json, tools: Tools): Turn | null {
  const speaker = SPEAKERS.find((name) => typeof value[name] === 'string');
  if (speaker === undefined) {
    return null;
  }
  const who = String(value[speaker]);
  const isAnswer = ANSWERING.has(who);
  const ownText = saidOf(value.content, tools);
  const text = ownText ?? saidOf(value.text, tools);
  const calls = callsOf(value);
  if (calls === null || (text === null && (calls.length === 0 || !isNothing(value.content)))) {
    return null;
  }
  const used = ownText === null && text !== null ? ['text'] : [];
  const said = isAnswer ? [resultOf(value, text ?? [], tools)] : [...(text ?? []), ...calls];
  return { who, said, ...restOf(value, isAnswer ? [...used, 'name'] : used) };
}

/** Calls and answers that stand in the list by themselves, between the messages. */
function itemOf(value: Json, tools: Tools): Turn | null {
  const { type, name, call_id: id, output } = value;
  if (type === 'function_call' && typeof name === 'string') {
    return { who: 'assistant', said: [{ kind: 'CALL', name, input: readOf(value.arguments) }] };
  }
  return type === 'function_call_output'
    ? { who: 'tool', said: [{ kind: 'RESULT', of: tools.get(String(id)) ?? null, said: [readOf(output)] }] }
    : null;
}

function resultOf(value: Json, said: readonly Part[], tools: Tools): Result {
  const { name, tool_call_id: id } = value;
  const of = typeof name === 'string' ? name : (tools.get(String(id)) ?? null);
  return { kind: 'RESULT', of, said: said.map(readOf) };
}

/** Null where something of it is no call. */
function callsOf({ tool_calls: several, function_call: one }: Json): Call[] | null {
  const listed = Array.isArray(several) ? several : isNothing(several) ? [] : [null];
  const calls = [...listed, ...(isNothing(one) ? [] : [one])].map(callOf);
  return calls.every((call) => call !== null) ? calls : null;
}

/** With its id where it has one. */
function callOf(value: unknown): Call | null {
  const outer = isObject(value) ? value : {};
  const call = [outer.function, outer.custom].find(isObject) ?? outer;
  const { name } = call;
  const input = [call.arguments, call.input, call.args].find((given) => given !== undefined);
  return typeof name === 'string' ? { kind: 'CALL', name, input: readOf(input) } : null;
}

function toolsOf(values: readonly unknown[]): Tools {
  const tools = new Map<string, string>();
  const look = (value: unknown, id: unknown) => {
    const call = callOf(value);
    if (call !== null && typeof id === 'string') {
      tools.set(id, call.name);
    }
  };
  for (const value of values.filter(isObject)) {
    look(value, value.call_id);
    for (const part of [value.tool_calls, value.content].flatMap((list) =>
      Array.isArray(list) ? list : [],
    )) {
      look(part, isObject(part) ? part.id : null);
    }
  }
  return tools;
}

/** A text, or a list of parts; null where it is neither. */
function saidOf(content: unknown, tools: Tools): readonly Part[] | null {
  if (typeof content === 'string') {
    return content === '' ? [] : [content];
  }
  const parts = Array.isArray(content) ? content.map((part) => partOf(part, tools)) : [];
  return parts.length > 0 && parts.every((part) => part !== null) ? parts : null;
}

function partOf(part: unknown, tools: Tools): Part | null {
  if (!isObject(part)) {
    return typeof part === 'string' ? part : null;
  }
  if (part.type === 'tool_use') {
    return callOf(part);
  }
  if (part.type === 'tool_result') {
    const of = tools.get(String(part.tool_use_id)) ?? null;
    const said = isNothing(part.content) ? [] : saidOf(part.content, tools);
    return said === null ? null : { kind: 'RESULT', of, said: said.map(readOf) };
  }
  return textOf(part);
}

function textOf({ text, thinking, refusal, image_url: linked, source }: Json): string | null {
  if (isObject(source) && source.type === 'base64') {
    return `data:${source.media_type};base64,${source.data}`;
  }
  const urls = [linked, source].map((one) => (isObject(one) ? one.url : null));
  const said = [text, thinking, refusal, linked, ...urls].find((one) => typeof one === 'string');
  return typeof said === 'string' ? said : null;
}

/** Deeper data stays the text that it is. */
const DEPTH = 50;

/** Data that came as text of JSON, as tools are given it; anything else as it is. */
function readOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value) || isDeeper(value, DEPTH)) {
    return value;
  }
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function restOf(value: Json, used: readonly string[]): { rest?: Fields } {
  const rest = Object.entries(value).filter(
    ([name, part]) => !KNOWN.has(name) && !used.includes(name) && !isNothing(part),
  );
  return rest.length === 0 ? {} : { rest };
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
