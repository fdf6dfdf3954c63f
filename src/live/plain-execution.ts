import {
  defaultFieldResolver,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  isLeafType,
  isNonNullType,
  isObjectType,
  Kind,
  TypeNameMetaFieldDef,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';

/** Thrown, and seen by nobody, where an execution turns out to need all of GraphQL. */
const NOT_PLAIN = new Error('This needs all of GraphQL.');
const NULL = 'null';

/**
 * Extension of a field whose resolver answers its source and does nothing else: whether its viewer may have it, which depends on no item, is asked with
 * the first of them and not again.
 */
export const HANDS_ON = 'handsOn';

/** A value's JSON. */
type Json = string;
type Complete = (value: unknown, context: unknown, root: unknown) => Json;
type Fields = ReadonlyMap<string, readonly FieldNode[]>;

/** Makes the JSON of a result's data from its root value; null where GraphQL itself has to, because of errors or promises. */
export type PlainExecution = (root: unknown, context: unknown) => Json | null;

/** What of an operation is the same for each of its executions. */
type Same = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'operation' | 'variableValues'>;

/**
 * Prepares the execution of an operation that is run again and again with the same variables: what `execute` finds out each
 * time about the document, the variables and the fields is found out once. It knows objects and leaves whose resolvers answer
 * at once; null for any other operation. Where a resolver throws or answers later, what came of it is to be thrown away and
 * GraphQL's own execution is to be asked.
 */
export function plainExecution({
  schema,
  document,
  operationName,
  variableValues,
}: ExecutionArgs): PlainExecution | null {
  const operation = getOperationAST(document, operationName);
  const type = operation && schema.getRootType(operation.operation);
  if (!operation || !type) {
    return null;
  }
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  if (coerced === undefined) {
    return null;
  }
  const same: Same = {
    schema,
    fragments: fragmentsOf(document.definitions),
    operation,
    variableValues: coerced,
  };
  const fields = collectFields(schema, same.fragments, coerced, type, operation.selectionSet);
  try {
    const complete = objectOf(type, fields, { same, path: undefined });
    return (root, context) => attempted(() => complete(root, context, root));
  } catch (error) {
    return onlyNotPlain(error);
  }
}

function attempted(execution: () => Json): Json | null {
  try {
    return execution();
  } catch {
    return null; // An error of a resolver is told, with its place, by whoever executes it once more.
  }
}

function onlyNotPlain(error: unknown): null {
  if (error !== NOT_PLAIN) {
    throw error;
  }
  return null;
}

function fragmentsOf(
  definitions: ExecutionArgs['document']['definitions'],
): Record<string, FragmentDefinitionNode> {
  return Object.fromEntries(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
}

interface Place {
  readonly same: Same;
  readonly path: GraphQLResolveInfo['path'] | undefined;
}

function objectOf(type: GraphQLObjectType, fields: Fields, place: Place): Complete {
  if (type.isTypeOf) {
    return notPlain();
  }
  const all = [...fields].map(([name, nodes], index) => ({
    before: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    read: fieldOf(type, nodes, placeOf(type, name, place)),
  }));
  return (source, context, root) => {
    let json = '';
    for (const { before, read } of all) {
      json += before + read(source, context, root);
    }
    return `${json || '{'}}`;
  };
}

function placeOf(type: GraphQLObjectType, name: string, { same, path }: Place): Place {
  return { same, path: { prev: path, key: name, typename: type.name } };
}

function fieldOf(type: GraphQLObjectType, nodes: readonly FieldNode[], { same, path }: Place): Complete {
  const [node] = nodes;
  const field = node && fieldNamed(type, node.name.value);
  if (!node || !field || !path) {
    return notPlain();
  }
  const resolve = field.resolve ?? defaultFieldResolver;
  const args = getArgumentValues(field, node, same.variableValues);
  // One for all items: a copy of it for each field of each was a third of an execution.
  const info = {
    ...same,
    fieldName: field.name,
    fieldNodes: nodes,
    returnType: field.type,
    parentType: type,
    path,
    rootValue: undefined as unknown,
  };
  const complete = completionOf(field.type, nodes, { same, path });
  let isHandedOn = false;
  return (source, context, root) => {
    if (isHandedOn) {
      return complete(source, context, root);
    }
    info.rootValue = root;
    const value = answered(resolve(source, args, context, info));
    isHandedOn = field.extensions[HANDS_ON] === true;
    return complete(value, context, root);
  };
}

function fieldNamed(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  return name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : type.getFields()[name];
}

function completionOf(type: GraphQLOutputType, nodes: readonly FieldNode[], place: Place): Complete {
  if (isNonNullType(type)) {
    const complete = completionOf(type.ofType, nodes, place);
    return (value, context, root) => {
      const json = complete(value, context, root);
      return json === NULL ? notPlain() : json;
    };
  }
  if (isLeafType(type)) {
    return (value) =>
      value == null ? NULL : (JSON.stringify(type.serialize(value) ?? notPlain()) ?? notPlain());
  }
  if (isObjectType(type)) {
    const { schema, fragments, variableValues } = place.same;
    const complete = objectOf(type, collectSubfields(schema, fragments, variableValues, type, nodes), place);
    return (value, context, root) => (value == null ? NULL : complete(value, context, root));
  }
  return notPlain();
}

/** What a resolver has answered, where it has answered already. */
function answered(value: unknown): unknown {
  if (isThenable(value)) {
    value.then(undefined, () => undefined); // Whoever executes it once more is told.
    return notPlain();
  }
  return value instanceof Error ? notPlain() : value;
}

/** Prisma's promises are none of the language's. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function notPlain(): never {
  throw NOT_PLAIN;
}
