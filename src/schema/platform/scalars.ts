import { Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import {
  boundedJson,
  JSON_DEPTH_MAX,
  parseBigInt,
  parseCurrency,
  parseInstant,
} from '../../resolvers/scalars.js';
import { builder } from '../builder.js';

builder.scalarType('DateTime', {
  description:
    'An instant: ISO 8601 with date, time and zone; answers are in UTC with milliseconds, such as "2027-01-31T09:30:00.000Z".',
  serialize: (value) => value.toISOString(),
  parseValue: parseInstant,
  parseLiteral: (node) => parseInstant(node.kind === Kind.STRING ? node.value : null),
});

builder.scalarType('BigInt', {
  description: 'A whole number of 64 bits, as a string of digits; a plain number is accepted too.',
  serialize: (value) => value.toString(),
  parseValue: parseBigInt,
  parseLiteral: (node) =>
    parseBigInt(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : null),
});

builder.scalarType('JSON', {
  description: `Any JSON value, nested at most ${JSON_DEPTH_MAX} deep.`,
  serialize: (value) => value,
  parseValue: boundedJson,
  parseLiteral: (node: ValueNode, variables) => boundedJson(valueFromASTUntyped(node, variables)),
});

builder.scalarType('CurrencyCode', {
  description: 'An ISO 4217 code: three capital letters, such as "EUR".',
  serialize: (value) => value,
  parseValue: parseCurrency,
  parseLiteral: (node) => parseCurrency(node.kind === Kind.STRING ? node.value : null),
});
