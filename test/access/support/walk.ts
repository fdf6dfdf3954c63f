import { type GraphQLField, type GraphQLSchema, getNamedType, isNonNullType } from 'graphql';
import type { TestApi } from '../../support/api.js';
import type { Text } from './secrets.js';
import { everythingOf, nodeDocuments, nodeTypes } from './selection.js';
import type { Viewer } from './walk-world.js';

/** Something that a viewer read and must not. */
export interface Leak {
  readonly viewer: string;
  readonly by: string;
  readonly secret: string;
}

/** What one viewer's walk came to. */
export interface Walked {
  readonly leaks: Leak[];
  /** All that was read, to see that the walk was not blind. */
  readonly read: string;
  readonly requests: number;
}

/** Refusals that a walk may meet; anything else (a cost, a depth) would have blinded it. */
const EXPECTED = new Set(['FORBIDDEN', 'BAD_USER_INPUT', 'NOT_FOUND']);
const LEVELS = 3;
const ROOT_LEVELS = 2;

export interface Ground {
  readonly api: TestApi;
  readonly schema: GraphQLSchema;
  /** Opaque ids of everything there is, by type. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
}

export interface WalkOptions {
  /** Ends at the first leak, and takes an error for what it is: for tests that make holes. */
  readonly untilFirstLeak?: boolean;
}

/** Questions on their way at once. */
const AT_ONCE = 4;

/** Reads everything that a viewer can ask for: every root field, with every id of its type, and every node. */
export async function walk(
  ground: Ground,
  { viewer, secrets }: { viewer: Viewer; secrets: ReadonlyMap<string, Text> },
  { untilFirstLeak = false }: WalkOptions = {},
): Promise<Walked> {
  const result = { leaks: [] as Leak[], read: '', requests: 0 };
  const toAsk = questions(ground);
  const lane = async () => {
    for (const question of toAsk) {
      const answer = await ground.api.attempt(viewer.token, question.document, question.variables);
      result.requests += 1;
      const blinding = answer.errors.find(({ extensions }) => !EXPECTED.has(String(extensions?.code)));
      if (blinding !== undefined && !untilFirstLeak) {
        throw new Error(`The walk of ${viewer.name} was blinded at ${question.by}: ${blinding.message}`);
      }
      result.read += JSON.stringify(answer.data ?? null);
      for (const secret of found(question, answer.data, secrets)) {
        result.leaks.push({ viewer: viewer.name, by: question.by, secret });
      }
      if (untilFirstLeak && result.leaks.length > 0) {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return result;
}

/** Secrets in an answer; and anything at all in the answer about something whose very id is a secret. */
function found({ variables }: Question, data: unknown, secrets: ReadonlyMap<string, Text>): string[] {
  const asked = new Set(Object.values(variables).flat());
  const text = JSON.stringify(data ?? null);
  const told = [...secrets].filter(([value]) => !asked.has(value) && text.includes(escaped(value)));
  const about = [...asked].filter(
    (id) => secrets.has(String(id)) && asked.size === 1 && valuesIn(data).length > 0,
  );
  return [
    ...told.map(([value, { table, column }]) => `${table}.${column}: ${value.slice(0, 60)}`),
    ...about.map((id) => `something about ${secrets.get(String(id))?.table}: ${text.slice(0, 200)}`),
  ];
}

/** What an answer tells: no names of types, and nothing of an empty page. */
function valuesIn(data: unknown): unknown[] {
  if (Array.isArray(data)) {
    return data.flatMap(valuesIn);
  }
  if (typeof data === 'object' && data !== null) {
    return Object.entries(data).flatMap(([name, value]) =>
      name === '__typename' || name === 'pageInfo' ? [] : valuesIn(value),
    );
  }
  return data === null || data === undefined ? [] : [data];
}

/** As a text stands inside JSON; one that is JSON itself stands there as it is. */
function escaped(value: string): string {
  return value.startsWith('{') || value.startsWith('[') ? value : JSON.stringify(value).slice(1, -1);
}

interface Question {
  readonly by: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

function* questions(ground: Ground): Generator<Question> {
  const { schema, ids } = ground;
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    if (field.name !== 'node' && field.name !== 'nodes') {
      yield* rootQuestions(field, ground);
    }
  }
  for (const type of nodeTypes(schema)) {
    for (const document of nodeDocuments(schema, type, LEVELS)) {
      for (const id of ids.get(type) ?? []) {
        yield { by: `node(${type})`, document, variables: { id } };
      }
    }
  }
  const everyId = [...ids.values()].flat();
  for (let n = 0; n < everyId.length; n += 100) {
    const variables = { ids: everyId.slice(n, n + 100) };
    yield { by: 'nodes', document: 'query($ids: [ID!]!) { nodes(ids: $ids) { __typename } }', variables };
  }
}

/** A root field without arguments, and with every id for every argument that takes one. */
function* rootQuestions(field: GraphQLField<unknown, unknown>, { schema, ids }: Ground): Generator<Question> {
  // A whole list is read flat; what hangs on its items is read node by node.
  const isList = field.args.some(({ name }) => name === 'first');
  const selection = everythingOf(getNamedType(field.type), schema, isList ? 1 : ROOT_LEVELS);
  const page = isList ? '(first: 100)' : '';
  if (!field.args.some((arg) => isNonNullType(arg.type))) {
    yield { by: field.name, document: `{ ${field.name}${page} ${selection} }`, variables: {} };
  }
  for (const arg of field.args.filter(({ type }) => getNamedType(type).name === 'ID')) {
    const document = `query($id: ID!) { ${field.name}(${arg.name}: $id) ${selection} }`;
    for (const id of idsWorthTrying(ids)) {
      yield { by: `${field.name}(${arg.name})`, document, variables: { id } };
    }
  }
}

/** Six of each type: an argument of another type is refused for its type, whichever it is. */
function idsWorthTrying(ids: Ground['ids']): string[] {
  return [...ids.values()].flatMap((list) => [...list.slice(0, 3), ...list.slice(-3)]);
}
