import { valueAt } from './json-value.js';

type Schema = Readonly<Record<string, unknown>>;

/** Schemas that stand beside what a schema says itself. */
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const SINGLE = ['if', 'then', 'else'] as const;
/** Deeper than any schema that is accepted refers. */
const DEPTH_MAX = 64;

/**
 * Whether an answer that fits a schema could have a value at a JSON pointer, as far as the schema says: what declares its members
 * names it, and what declares none leaves it open. A name that is not declared is taken for a slip, even where further ones are allowed.
 */
export function reaches(root: Schema, pointer: string): boolean {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let found: unknown[] = [root];
  for (const step of steps) {
    const parts = found.map((schema) => partsOf(root, schema, 0));
    const inside = parts.flat().flatMap((part) => membersOf(part, step));
    if (parts.some((own) => own.length > 0 && !own.some(declaresMembers))) {
      return true;
    }
    if (inside.length === 0) {
      return false;
    }
    found = inside;
  }
  return true;
}

/** A schema with what it refers to and is made of. */
function partsOf(root: Schema, schema: unknown, depth: number): Schema[] {
  if (typeof schema !== 'object' || schema === null || depth > DEPTH_MAX) {
    return [];
  }
  const part = schema as Schema;
  const { $ref: reference } = part;
  const referred =
    typeof reference === 'string' ? [valueAt(root, decodeURIComponent(reference.slice(1)))] : [];
  const beside = [
    ...LISTS.flatMap((key) => listAt(part, key)),
    ...SINGLE.map((key) => part[key]),
    ...referred,
  ];
  return [part, ...beside.flatMap((one) => partsOf(root, one, depth + 1))];
}

const listAt = (part: Schema, key: string): unknown[] =>
  Array.isArray(part[key]) ? (part[key] as unknown[]) : [];

function membersOf(part: Schema, step: string): unknown[] {
  const isIndex = /^(0|[1-9]\d*)$/.test(step);
  const { properties, patternProperties, additionalProperties, items } = part;
  const named = isObject(properties) && Object.hasOwn(properties, step) ? [properties[step]] : [];
  // Which names a pattern means is not looked at: to run a pattern of somebody else’s costs more than a slip does.
  const matched = isObject(patternProperties) ? Object.values(patternProperties) : [];
  const further = isObject(additionalProperties) ? [additionalProperties] : [];
  const listed = isIndex
    ? [
        ...listAt(part, 'prefixItems').slice(Number(step), Number(step) + 1),
        ...(isObject(items) ? [items] : []),
      ]
    : [];
  return [...named, ...matched, ...further, ...listed];
}

function declaresMembers(part: Schema): boolean {
  const {
    properties,
    patternProperties,
    additionalProperties,
    prefixItems,
    items,
    type,
    enum: values,
  } = part;
  const isLeaf = typeof type === 'string' && !['object', 'array'].includes(type);
  return (
    isLeaf ||
    additionalProperties === false ||
    [properties, patternProperties, prefixItems, items, values].some((keyword) => keyword !== undefined)
  );
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
