import { type GraphQLField, type GraphQLSchema, getNamedType, isNonNullType } from 'graphql';
import { everythingOf, nodeSelections, nodeTypes } from './selection.js';

/** A field of the root that is asked for with each of some ids; as many of them in one request as go into it. */
export interface Question {
  readonly by: string;
  /** The field, with the name of its argument. */
  readonly field: string;
  readonly argument: string;
  readonly selection: string;
  /** What the selection is of. */
  readonly type: string;
  readonly ids: readonly string[];
  /** Whether an id that is refused takes no other's answer along. */
  readonly together: boolean;
}

/** One that needs no id, or all at once. */
export interface Whole {
  readonly by: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, readonly string[]>>;
}

const LEVELS = 3;
const ROOT_LEVELS = 2;

export interface Asking {
  readonly schema: GraphQLSchema;
  /** Opaque ids of everything there is, by type. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
}

/** Every root field without arguments, and with every id for every argument that takes one; and every node. */
export function* questions({ schema, ids }: Asking): Generator<Question | Whole> {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    if (field.name !== 'node' && field.name !== 'nodes') {
      yield* rootQuestions(field, { schema, ids });
    }
  }
  for (const type of nodeTypes(schema)) {
    for (const selection of nodeSelections(schema, type, LEVELS)) {
      const node = { field: 'node', argument: 'id', type: 'Node', together: true };
      yield { by: `node(${type})`, ...node, selection, ids: ids.get(type) ?? [] };
    }
  }
  const everyId = [...ids.values()].flat();
  for (let n = 0; n < everyId.length; n += 100) {
    const variables = { ids: everyId.slice(n, n + 100) };
    yield { by: 'nodes', document: 'query($ids: [ID!]!) { nodes(ids: $ids) { __typename } }', variables };
  }
}

function* rootQuestions(
  field: GraphQLField<unknown, unknown>,
  { schema, ids }: Asking,
): Generator<Question | Whole> {
  const type = getNamedType(field.type);
  // A whole list is read flat; what hangs on its items is read node by node.
  const isList = field.args.some(({ name }) => name === 'first');
  const selection = everythingOf(type, schema, isList ? 1 : ROOT_LEVELS);
  const page = isList ? '(first: 100)' : '';
  if (!field.args.some((arg) => isNonNullType(arg.type))) {
    yield { by: field.name, document: `{ ${field.name}${page} ${selection} }`, variables: {} };
  }
  for (const arg of field.args.filter((one) => getNamedType(one.type).name === 'ID')) {
    const asked = { field: field.name, argument: arg.name, selection, type: type.name };
    const by = `${field.name}(${arg.name})`;
    yield { by, ...asked, ids: idsWorthTrying(ids), together: !isNonNullType(field.type) };
  }
}

/** Six of each type: an argument of another type is refused for its type, whichever it is. */
function idsWorthTrying(ids: Asking['ids']): string[] {
  return [...ids.values()].flatMap((list) => [...list.slice(0, 3), ...list.slice(-3)]);
}

/** The names under which the answers of a document for several ids stand. */
export const nameOf = (n: number) => `a${n}`;

/** The document that asks a question for some ids at once. */
export function documentFor(
  { field, argument, selection, type }: Question,
  ids: readonly string[],
): Whole['document'] {
  const variables = ids.map((_, n) => `$i${n}: ID!`).join(' ');
  const fields = ids.map((_, n) => `${nameOf(n)}: ${field}(${argument}: $i${n}) { ...All }`).join(' ');
  return `query(${variables}) { ${fields} } fragment All on ${type} ${selection}`;
}

export const variablesFor = (ids: readonly string[]) => Object.fromEntries(ids.map((id, n) => [`i${n}`, id]));
