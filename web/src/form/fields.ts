import type { TaskType } from '../work/desk-client.js';

/** Where a value stands in an answer. */
export type Path = readonly string[];

interface Common {
  readonly path: Path;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly isRequired: boolean;
  /** Where a remark about this one goes. */
  readonly notePath?: Path | undefined;
}

export interface Option {
  readonly value: string | number | boolean | null;
  readonly label: string;
  /** The digit that chooses it; null: none is left. */
  readonly key: string | null;
}

/** One thing that the form asks. */
export type Field =
  | (Common & { readonly kind: 'ONE_OF'; readonly options: readonly Option[]; readonly isScale: boolean })
  | (Common & { readonly kind: 'SOME_OF'; readonly options: readonly Option[] })
  | (Common & { readonly kind: 'TEXT'; readonly maxLength: number | undefined })
  | (Common & {
      readonly kind: 'NUMBER';
      readonly min: number | undefined;
      readonly max: number | undefined;
      readonly step: number;
    })
  /** What no widget fits: written as JSON. */
  | (Common & { readonly kind: 'JSON' });

/** More scores than these are typed, not chosen. */
const MOST_SCORES = 11;
const DEEPEST = 3;

type Json = Readonly<Record<string, unknown>>;

/** The form of a task type, from what its customer asked for. Anything can be answered, if need be as JSON. */
export function fieldsOf({ definition }: Pick<TaskType, 'definition'>): readonly Field[] {
  const given = record(definition);
  switch (given.kind) {
    case 'SINGLE_CHOICE':
      return [choice(['choice'], 'Your answer', labelled(list(given.options)))];
    case 'PAIRWISE':
      return [choice(['preference'], 'Which one is better?', preferences(given.allowTie !== false))];
    case 'RUBRIC':
      return list(given.criteria).map((criterion) => scored(record(criterion)));
    default:
      return fromSchema(record(given.schema));
  }
}

const choice = (path: Path, label: string, options: readonly Option[]): Field => ({
  kind: 'ONE_OF',
  path,
  label,
  options,
  isRequired: true,
  isScale: false,
});

const digit = (index: number): string | null => (index < 9 ? String(index + 1) : null);

const labelled = (options: readonly unknown[]): Option[] =>
  options.map(record).map(({ value, label }, index) => ({
    value: String(value),
    label: typeof label === 'string' ? label : String(value),
    key: digit(index),
  }));

const preferences = (allowTie: boolean): Option[] => [
  { value: 'LEFT', label: 'Left is better', key: '1' },
  { value: 'RIGHT', label: 'Right is better', key: '2' },
  ...(allowTie ? [{ value: 'TIE', label: 'Equally good', key: '3' }] : []),
];

/** A criterion of a rubric: a score, and a note of its own. */
function scored(criterion: Json): Field {
  const name = String(criterion.name);
  const min = Number(criterion.min);
  const max = Number(criterion.max);
  const step = Number(criterion.step ?? 1);
  const common = {
    path: ['scores', name],
    label: typeof criterion.label === 'string' ? criterion.label : name,
    hint: `${min} to ${max}`,
    isRequired: true,
    notePath: ['notes', name],
  };
  const count = Math.round((max - min) / step) + 1;
  if (count > MOST_SCORES) {
    return { ...common, kind: 'NUMBER', min, max, step };
  }
  const scores = Array.from({ length: count }, (_, n) => Number((min + n * step).toFixed(9)));
  return { ...common, kind: 'ONE_OF', isScale: true, options: scoreOptions(scores) };
}

/** The key of a score is the score, where each has one digit; else its place. */
function scoreOptions(scores: readonly number[]): Option[] {
  const isDigits = scores.every((score) => Number.isInteger(score) && score >= 0 && score <= 9);
  return scores.map((value, index) => ({
    value,
    label: String(value),
    key: isDigits ? String(value) : digit(index),
  }));
}

function fromSchema(schema: Json): readonly Field[] {
  return schema.type === 'object' && isObject(schema.properties)
    ? propertiesOf(schema, { path: [], isRequired: true, depth: 0 })
    : [{ kind: 'JSON', path: [], label: 'Your answer', isRequired: true }];
}

interface Place {
  readonly path: Path;
  readonly isRequired: boolean;
  readonly depth: number;
}

function propertiesOf(schema: Json, { path, isRequired, depth }: Place): readonly Field[] {
  const required = list(schema.required);
  return Object.entries(record(schema.properties)).flatMap(([name, part]) =>
    property(record(part), {
      path: [...path, name],
      isRequired: isRequired && required.includes(name),
      depth: depth + 1,
    }),
  );
}

function property(schema: Json, place: Place): readonly Field[] {
  if (schema.type === 'object' && isObject(schema.properties) && place.depth < DEEPEST) {
    return propertiesOf(schema, place);
  }
  const common = { path: place.path, isRequired: place.isRequired, ...titles(schema, place.path) };
  return [{ ...common, ...widget(schema) } as Field];
}

function titles(schema: Json, path: Path): { label: string; hint?: string } {
  const label = typeof schema.title === 'string' ? schema.title : path.map(spoken).join(', ');
  return typeof schema.description === 'string' ? { label, hint: schema.description } : { label };
}

const spoken = (name: string): string => {
  const words = name
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function widget(schema: Json): object {
  if (Array.isArray(schema.enum) && schema.enum.every(isPlain)) {
    return { kind: 'ONE_OF', isScale: false, options: plainOptions(schema.enum) };
  }
  if (schema.type === 'boolean') {
    const options = [true, false].map((value, n) => ({ value, label: value ? 'Yes' : 'No', key: digit(n) }));
    return { kind: 'ONE_OF', isScale: false, options };
  }
  if (schema.type === 'string') {
    return { kind: 'TEXT', maxLength: numberOr(schema.maxLength) };
  }
  if (schema.type === 'number' || schema.type === 'integer') {
    const step = numberOr(schema.multipleOf) ?? (schema.type === 'integer' ? 1 : 0);
    return { kind: 'NUMBER', min: numberOr(schema.minimum), max: numberOr(schema.maximum), step };
  }
  const items = record(schema.items);
  return schema.type === 'array' && Array.isArray(items.enum) && items.enum.every(isPlain)
    ? { kind: 'SOME_OF', options: plainOptions(items.enum) }
    : { kind: 'JSON' };
}

const plainOptions = (values: readonly (string | number | boolean | null)[]): Option[] =>
  values.map((value, index) => ({ value, label: String(value), key: digit(index) }));

const isPlain = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const numberOr = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const record = (value: unknown): Json => (isObject(value) ? value : {});

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
