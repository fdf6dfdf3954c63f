import type { Field, Path } from './fields.js';

type Answer = Readonly<Record<string, unknown>>;

/** The value at a path; undefined where there is none. */
export function valueAt(answer: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    answer,
  );
}

/** The answer with a value at a path; `undefined` takes it away, and with it what becomes empty. */
export function withValue(answer: Answer, path: Path, value: unknown): Answer {
  const [name, ...rest] = path;
  if (name === undefined) {
    return typeof value === 'object' && value !== null ? (value as Answer) : {};
  }
  const inner = rest.length === 0 ? value : withValue(within(answer, name), rest, value);
  const { [name]: _, ...others } = answer;
  const isGone = inner === undefined || (rest.length > 0 && Object.keys(inner as object).length === 0);
  return isGone ? others : { ...others, [name]: inner };
}

function within(answer: Answer, name: string): Answer {
  const value = valueAt(answer, [name]);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Answer) : {};
}

/** JSON pointer (RFC 6901), as the server names a place in an answer. */
export const pointerOf = (path: Path): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** What keeps the answer from being submitted, by pointer; the server looks at the rest. */
export function missingIn(fields: readonly Field[], answer: Answer): { path: string; message: string }[] {
  return fields
    .filter(({ isRequired, path }) => isRequired && isNothing(valueAt(answer, path)))
    .map(({ path, label }) => ({ path: pointerOf(path), message: `“${label}” is not answered yet.` }));
}

/** What was typed as JSON and is none yet, by pointer: it is kept as text, and not part of the answer. */
export function brokenIn(
  fields: readonly Field[],
  texts: Readonly<Record<string, string>>,
): { path: string; message: string }[] {
  return fields
    .map(({ kind, path }) => ({ kind, path: pointerOf(path) }))
    .filter(({ kind, path }) => kind === 'JSON' && !isJson(texts[path] ?? ''))
    .map(({ path }) => ({ path, message: 'This is no JSON yet.' }));
}

/** Whether a text is JSON, or nothing at all. */
export function isJson(text: string): boolean {
  try {
    return text.trim() === '' || JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

const isNothing = (value: unknown): boolean => value === undefined || value === '';
