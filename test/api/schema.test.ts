import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';

// What the API promises in its form.

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const BUILT_IN = new Set(['String', 'Int', 'Float', 'Boolean', 'ID']);

interface Described {
  readonly name: string;
  readonly description?: string | null | undefined;
}

function partsOf(type: GraphQLNamedType): Described[] {
  const named = (parts: readonly Described[]) =>
    parts.map(({ name, description }) => ({ name: `${type.name}.${name}`, description }));
  if (isEnumType(type)) {
    return named(type.getValues());
  }
  if (isInputObjectType(type)) {
    return named(Object.values(type.getFields()));
  }
  if (isObjectType(type) || isInterfaceType(type)) {
    const fields = Object.values(type.getFields());
    const args = fields.flatMap((field) =>
      field.args.map((arg) => ({ ...arg, name: `${field.name}(${arg.name})` })),
    );
    return named([...fields, ...args]);
  }
  return [];
}

test('every type, field, argument and enum value says what a client can rely on', () => {
  const parts = types.filter(({ name }) => !BUILT_IN.has(name)).flatMap((type) => [type, ...partsOf(type)]);
  expect(parts.filter(({ description }) => !description?.trim()).map(({ name }) => name)).toEqual([]);
});

test('every mutation takes one input and answers a union of its payload and refusals, null only beside an error', () => {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const name = field.name.charAt(0).toUpperCase() + field.name.slice(1);
    expect(field.args.map(({ name, type }) => `${name}: ${type}`)).toEqual([`input: ${name}Input!`]);
    expect(String(field.type)).toBe(`${name}Result`);
    const members = isUnionType(field.type) ? field.type.getTypes() : [];
    const [payload, ...refusals] = [...members].sort((a) => (a.name === `${name}Payload` ? -1 : 1));
    expect(payload?.name).toBe(`${name}Payload`);
    for (const refusal of refusals) {
      expect(
        refusal.getInterfaces().map(({ name }) => name),
        refusal.name,
      ).toContain('DomainError');
    }
  }
});

test('a field that is not open to every role is nullable, so that it hides nothing but itself', () => {
  const restricted = types.filter(isObjectType).flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => 'authScopes' in ((field.extensions.pothosOptions as object | undefined) ?? {}))
      .filter(() => !['Query', 'Mutation', 'Subscription'].includes(type.name))
      .map((field) => ({ name: `${type.name}.${field.name}`, hides: isNonNullType(field.type) })),
  );
  expect(restricted.length).toBeGreaterThan(5);
  expect(restricted.filter(({ hides }) => hides)).toEqual([]);
});

test('every list that can grow is a page with a bound', () => {
  for (const type of types.filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      if (/Connection!?$/.test(String(field.type))) {
        expect(
          field.args.map(({ name }) => name),
          `${type.name}.${field.name}`,
        ).toEqual(expect.arrayContaining(['first', 'after']));
      }
    }
  }
});
