import type { Issue } from './json-value.js';
import { MAX_ISSUES, pointerStep, valueAt } from './json-value.js';
import { compileLinear } from './linear-regexp.js';
import type { TaskTypeDefinition } from './task-type-definitions.js';

type FreeForm = Extract<TaskTypeDefinition, { kind: 'FREE_FORM' }>;
type Schema = Readonly<Record<string, unknown>> | boolean;

/** A schema is sent with every form and compiled on every node. */
const MAX_SCHEMA_BYTES = 65_536;
const MAX_PATTERN_LENGTH = 500;

/**
 * Bounds the time to check one answer: schemas visited plus instructions of their patterns, with each `$ref` counted
 * as often as it is followed. An answer has at most 64 KiB, so the worst pattern costs well under a second.
 */
const MAX_WEIGHT = 2000;

/** Comparing with one value of an `enum` is that much cheaper than visiting a schema. */
const CHOICE_WEIGHT = 0.1;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Where schemas stand inside a schema. Whatever is not listed holds values, in which a `$ref` is only a word. */
const SINGLE = [
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'not',
  'if',
  'then',
  'else',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];

/** Keywords that could fetch, rename or rebind schemas, so that what is checked is not what was read here. */
const FORBIDDEN = [
  '$id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$vocabulary',
  'contentSchema',
  'definitions',
];

/**
 * Why a free-form definition cannot be accepted although it may be valid JSON Schema: references out of it or into
 * itself, patterns that cannot be matched in linear time, more work than an answer is worth, dimensions that can
 * hold no value.
 */
export function freeFormFaults(definition: FreeForm): Issue[] {
  const { schema } = definition;
  const issues = dimensionFaults(definition);
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES) {
    return [...issues, { path: '/schema', message: `may have at most ${MAX_SCHEMA_BYTES} bytes` }];
  }
  if (schema.type !== 'object') {
    issues.push({ path: '/schema/type', message: 'must be "object": an answer is always an object' });
  }
  if (schema.$schema !== undefined && schema.$schema !== DIALECT) {
    issues.push({ path: '/schema/$schema', message: `must be "${DIALECT}"` });
  }
  const weigher = new Weigher(schema);
  if (weigher.weigh('') > MAX_WEIGHT && weigher.issues.length === 0) {
    weigher.issues.push({ path: '/schema', message: 'is too large to check an answer in bounded time' });
  }
  return [...issues, ...weigher.issues].slice(0, MAX_ISSUES);
}

function dimensionFaults({ dimensions }: FreeForm): Issue[] {
  return dimensions.flatMap(({ values, scale }, index) =>
    values !== undefined && scale !== 'ordinal'
      ? [{ path: `/dimensions/${index}/values`, message: 'is only for ordinal dimensions' }]
      : [],
  );
}

/** Walks a schema once, and along its references as often as a validator would. */
class Weigher {
  readonly issues: Issue[] = [];
  /** Weight of what was visited; 'open' while inside it, which makes meeting it again a reference into itself. */
  private readonly weights = new Map<string, number | 'open'>();

  constructor(private readonly root: Schema) {}

  weigh(pointer: string): number {
    const known = this.weights.get(pointer);
    if (known === 'open') {
      this.report(pointer, 'refers to itself: no form could show it and no time limit could hold');
      return 0;
    }
    if (known !== undefined) {
      return known;
    }
    const schema = valueAt(this.root, pointer);
    if (typeof schema !== 'object' || schema === null) {
      return 1;
    }
    this.weights.set(pointer, 'open');
    const weight = this.weighKeywords(schema as Record<string, unknown>, pointer);
    this.weights.set(pointer, weight);
    return weight;
  }

  private weighKeywords(schema: Record<string, unknown>, pointer: string): number {
    for (const keyword of FORBIDDEN.filter((word) => Object.hasOwn(schema, word))) {
      this.report(pointer + pointerStep(keyword), 'is not supported');
    }
    const choices = Array.isArray(schema.enum) ? schema.enum.length * CHOICE_WEIGHT : 0;
    let weight =
      1 + choices + this.weighPatterns(schema, pointer) + this.weighReference(schema.$ref, pointer);
    for (const [keyword, child] of childrenOf(schema)) {
      const childWeight = this.weigh(pointer + child);
      // Definitions are looked at for faults, but cost only where they are referred to.
      weight += keyword === '$defs' ? 0 : childWeight;
    }
    return weight;
  }

  private weighReference(reference: unknown, pointer: string): number {
    if (reference === undefined) {
      return 0;
    }
    const target = typeof reference === 'string' && reference.startsWith('#') ? fragmentOf(reference) : null;
    if (target === null || !isSchemaPointer(target)) {
      this.report(`${pointer}/$ref`, 'must point to a schema inside this one, such as "#/$defs/name"');
      return 0;
    }
    if (valueAt(this.root, target) === undefined) {
      this.report(`${pointer}/$ref`, 'points to nothing');
      return 0;
    }
    return this.weigh(target);
  }

  private weighPatterns(schema: Record<string, unknown>, pointer: string): number {
    const own = typeof schema.pattern === 'string' ? [['/pattern', schema.pattern] as const] : [];
    const names = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
    const all = [...own, ...names.map((name) => [`/patternProperties${pointerStep(name)}`, name] as const)];
    return all.reduce((sum, [step, pattern]) => sum + this.weighPattern(pattern, pointer + step), 0);
  }

  private weighPattern(pattern: string, path: string): number {
    if (pattern.length > MAX_PATTERN_LENGTH) {
      this.report(path, `may have at most ${MAX_PATTERN_LENGTH} characters`);
      return 0;
    }
    try {
      return compileLinear(pattern).programSize();
    } catch {
      this.report(
        path,
        'is no pattern that can be matched in linear time (no look-around, no back-references)',
      );
      return 0;
    }
  }

  private report(pointer: string, message: string): void {
    this.issues.push({ path: `/schema${pointer}`, message });
  }
}

/** The keyword and pointer step of every schema directly inside this one. */
function childrenOf(schema: Record<string, unknown>): [keyword: string, step: string][] {
  const single = SINGLE.filter((keyword) => isObject(schema[keyword]));
  const inside = [...LISTS, ...MAPS].flatMap((keyword) =>
    Object.keys(isObject(schema[keyword]) ? schema[keyword] : {}).map(
      (key) => [keyword, `/${keyword}${pointerStep(key)}`] as [string, string],
    ),
  );
  return [...single.map((keyword) => [keyword, `/${keyword}`] as [string, string]), ...inside];
}

/** Whether a pointer leads along keywords that hold schemas, so that its target was or will be checked here. */
function isSchemaPointer(pointer: string): boolean {
  const steps = pointer.split('/').slice(1);
  while (steps.length > 0) {
    const keyword = steps.shift() ?? '';
    if ([...LISTS, ...MAPS].includes(keyword)) {
      if (steps.shift() === undefined) {
        return false;
      }
    } else if (!SINGLE.includes(keyword)) {
      return false;
    }
  }
  return true;
}

function fragmentOf(reference: string): string | null {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
