import {
  type GraphQLField,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';

// Documents that ask for everything the schema has, so that a new field is walked without anybody thinking of it.

/** Everything of a type, objects `levels` deep. A page counts as one level together with its items. */
export function everythingOf(type: GraphQLNamedOutputType, schema: GraphQLSchema, levels: number): string {
  if (isLeafType(type)) {
    return '';
  }
  if (isUnionType(type) || isInterfaceType(type)) {
    const members = schema.getPossibleTypes(type);
    return `{ __typename ${members.map((m) => `... on ${m.name} ${everythingOf(m, schema, levels)}`).join(' ')} }`;
  }
  const fields = Object.values(type.getFields()).flatMap((field) =>
    fieldOf(field, schema, levelsBelow(type, levels)),
  );
  return `{ __typename ${fields.join(' ')} }`;
}

const isWrapper = (type: GraphQLNamedOutputType) => /(Connection|Edge)$/.test(type.name);

function levelsBelow(type: GraphQLObjectType, levels: number): number {
  return isWrapper(type) ? levels : levels - 1;
}

/** One field with everything below it; nothing where it needs an argument, or where the levels end. */
export function fieldOf(
  field: GraphQLField<unknown, unknown>,
  schema: GraphQLSchema,
  levels: number,
): string[] {
  if (field.args.some((arg) => isNonNullType(arg.type))) {
    return [];
  }
  const type = getNamedType(field.type);
  const page = field.args.some(({ name }) => name === 'first') ? '(first: 5)' : '';
  if (isLeafType(type)) {
    return [`${field.name}${page}`];
  }
  return levels <= 0 ? [] : [`${field.name}${page} ${everythingOf(type, schema, levels)}`];
}

/** Names of the object types that have an id of their own. */
export function nodeTypes(schema: GraphQLSchema): string[] {
  const node = schema.getType('Node');
  return isInterfaceType(node) ? schema.getPossibleTypes(node).map(({ name }) => name) : [];
}

/** One document for each object field of a node type, and one for all its plain ones: `node(id)` with nothing left out. */
export function nodeDocuments(schema: GraphQLSchema, typeName: string, levels: number): string[] {
  return nodeSelections(schema, typeName, levels).map(
    (selection) => `query($id: ID!) { node(id: $id) ${selection} }`,
  );
}

/** The same as selections of `Node`. */
export function nodeSelections(schema: GraphQLSchema, typeName: string, levels: number): string[] {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) {
    return [];
  }
  const whole = (inside: string) => `{ __typename ... on ${typeName} { ${inside} } }`;
  const fields = Object.values(type.getFields());
  const plain = fields.filter((field) => isLeafType(getNamedType(field.type)));
  const objects = fields.filter((field) => !plain.includes(field));
  return [
    whole(plain.map(({ name }) => name).join(' ')),
    ...objects.flatMap((field) => fieldOf(field, schema, levels)).map(whole),
  ];
}
