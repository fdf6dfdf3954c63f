import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { fieldOf } from '../../access/support/selection.js';

/** A document that reads a root field with one field of its items, and everything below that. */
export interface ListDocument {
  readonly root: string;
  readonly field: string;
  readonly text: string;
  /** The same less deep, for viewers whose operations may not cost so much. */
  readonly shallow: string;
}

/** How far below the items' fields the documents look. */
const LEVELS = { text: 2, shallow: 1 } as const;
/** More than the test has of anything. */
const PAGE = 8;

/** For each root field that needs no argument: one document for each field of its items. */
export function listDocuments(schema: GraphQLSchema): ListDocument[] {
  return Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter((field) => !field.args.some(({ type }) => isNonNullType(type)))
    .flatMap((field) => documentsOf(field, schema));
}

function documentsOf(root: GraphQLField<unknown, unknown>, schema: GraphQLSchema): ListDocument[] {
  const type = getNamedType(root.type);
  const item = isObjectType(type) ? itemOf(type.name, schema) : null;
  if (item === null) {
    return [];
  }
  const isPaged = root.args.some(({ name }) => name === 'first');
  const around = (selection: string) =>
    isPaged
      ? `{ ${root.name}(first: ${PAGE}) { edges { node { __typename ${selection} } } } }`
      : `{ ${root.name} { __typename ${selection} } }`;
  const fields = Object.values(item.getFields()).filter(
    (field) => !isLeafType(getNamedType(field.type)) || field.args.length > 0,
  );
  const of = (field: GraphQLField<unknown, unknown>, levels: number) =>
    fieldOf(field, schema, levels).map(around).join('');
  return [
    ...fields.map((field) => ({
      root: root.name,
      field: field.name,
      text: of(field, LEVELS.text),
      shallow: of(field, LEVELS.shallow),
    })),
    { root: root.name, field: 'all that is plain', text: around(plainOf(item)), shallow: '' },
  ].filter(({ text }) => text !== '');
}

function itemOf(name: string, schema: GraphQLSchema) {
  const type = schema.getType(name.replace(/Connection$/, ''));
  return isObjectType(type) ? type : null;
}

function plainOf(item: NonNullable<ReturnType<typeof itemOf>>): string {
  return Object.values(item.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0)
    .map(({ name }) => name)
    .join(' ');
}
