import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import ErrorsPlugin from '@pothos/plugin-errors';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { actsAs, type Context } from '../context.js';
import { forbidden, tooComplex } from '../resolvers/api-errors.js';
import type { Role } from '../services/access/viewer.js';
import { complexityLimit } from './limits.js';
import { decodeNodeId, encodeNodeId } from './node-ids.js';
import { pageInfoTexts, relayTexts } from './relay-texts.js';

/** What the schema is built of; a type names its fields' values by these. */
export interface SchemaShape {
  Context: Context;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
  AuthScopes: { role: readonly Role[] };
  Scalars: {
    ID: { Input: string; Output: string | number | bigint };
    DateTime: { Input: Date; Output: Date };
    BigInt: { Input: bigint; Output: bigint };
    JSON: { Input: unknown; Output: unknown };
    CurrencyCode: { Input: string; Output: string };
  };
}

/**
 * The one schema builder. Errors never has a default type: with `Error` in it a bug's message would become data.
 * A field without `authScopes` is open to every role; row-level security decides the rows in any case.
 */
export const builder = new SchemaBuilder<SchemaShape>({
  plugins: [ErrorsPlugin, ComplexityPlugin, ScopeAuthPlugin, RelayPlugin],
  defaultFieldNullability: false,
  errors: {
    defaultTypes: [],
    directResult: true,
    defaultUnionOptions: {
      name: ({ fieldName }) => `${fieldName.charAt(0).toUpperCase()}${fieldName.slice(1)}Result`,
      description: 'What was done, or a refusal that the caller can act on.',
    },
  },
  complexity: {
    defaultComplexity: 1,
    defaultListMultiplier: 10,
    limit: complexityLimit,
    complexityError: (_kind, result) => tooComplex(result),
  },
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: (context) => ({ role: (roles) => actsAs(context.viewer, roles) }),
    unauthorizedError: (_parent, context, info) =>
      forbidden(`${info.parentType.name}.${info.fieldName} is not open to the role ${context.viewer.role}.`),
  },
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    brandLoadedObjects: true,
    encodeGlobalID: (typename, id, ctx) => encodeNodeId(ctx as Context, typename, id),
    decodeGlobalID: (globalId, ctx) => decodeNodeId(ctx as Context, globalId),
    ...relayTexts,
    ...pageInfoTexts,
  },
});

builder.queryType({ description: 'Reads. Every list is bounded; what is not yours is not there.' });
builder.subscriptionType({ description: 'What happens, told as it happens, over WebSockets.' });
builder.mutationType({
  description: 'Changes. Each answers what it did or a refusal; null only together with a top-level error.',
});
