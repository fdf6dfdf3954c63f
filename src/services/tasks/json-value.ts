/** One fault in a JSON value: where (a JSON pointer, '' for the whole) and what, in plain words. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** How deep an answer may nest. Deeper values serve no form and cost stack in everything that walks them. */
const MAX_DEPTH = 32;

/** Keeps checks that compare items with each other (`uniqueItems`) within milliseconds. */
const MAX_ARRAY_ITEMS = 2000;

/** Nobody reads more; a hostile value could have tens of thousands. */
export const MAX_ISSUES = 100;

/** Under the `u` flag a surrogate matches only where it stands alone: half a character, which UTF-8 cannot hold. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The faults that keep a value from being stored as JSON whatever its schema says: not JSON at all, numbers that are
 * not finite, lone surrogates, a name `__proto__`, nesting or arrays beyond the limits. At most MAX_ISSUES of them.
 */
export function jsonFaults(value: unknown): Issue[] {
  const issues: Issue[] = [];
  look({ value, path: '', depth: 1 }, issues);
  return issues;
}

/** A JSON pointer's next step (RFC 6901). */
export function pointerStep(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** What stands at a JSON pointer, or undefined. Only own properties: a pointer never reaches a prototype. */
export function valueAt(value: unknown, pointer: string): unknown {
  let current = value;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) {
      return undefined;
    }
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

function look({ value, path, depth }: Place, issues: Issue[]): void {
  if (issues.length >= MAX_ISSUES) {
    return;
  }
  const fault = faultOf(value, depth);
  if (fault !== null) {
    issues.push({ path, message: fault });
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      look({ value: item, path: path + pointerStep(index), depth: depth + 1 }, issues);
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      lookAtProperty({ value: item, path, depth }, key, issues);
    }
  }
}

function lookAtProperty({ value, path, depth }: Place, key: string, issues: Issue[]): void {
  if (LONE_SURROGATE.test(key)) {
    issues.push({ path, message: 'has a name with half a character in it (a lone surrogate)' });
    return;
  }
  // No form asks for it, the validator skips it, and whoever copies the value carelessly has their objects rebuilt.
  if (key === '__proto__') {
    issues.push({ path: path + pointerStep(key), message: 'is not allowed as a name' });
    return;
  }
  look({ value, path: path + pointerStep(key), depth: depth + 1 }, issues);
}

function faultOf(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : 'must be a finite number';
    case 'string':
      return LONE_SURROGATE.test(value) ? 'contains half a character (a lone surrogate)' : null;
    case 'object':
      return value === null ? null : faultOfContainer(value, depth);
    default:
      return 'is not a JSON value';
  }
}

function faultOfContainer(value: object, depth: number): string | null {
  if (depth > MAX_DEPTH) {
    return `is nested too deeply: at most ${MAX_DEPTH} levels are allowed`;
  }
  if (Array.isArray(value)) {
    return value.length > MAX_ARRAY_ITEMS ? `may have at most ${MAX_ARRAY_ITEMS} items` : null;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype ? null : 'is not a JSON value';
}
