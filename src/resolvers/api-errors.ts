import { GraphQLError } from 'graphql';

// Top-level errors: who you are, what you may, how much you may. Refusals are types, not these.

/** The request itself is not well-formed: an id, a cursor, a page size. */
export function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

/** The role of the token does not reach this far. */
export function forbidden(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'FORBIDDEN' } });
}

/** The operation asks for more than one may. */
export function tooComplex(cost: {
  complexity: number;
  maxComplexity?: number;
  breadth: number;
  maxBreadth?: number;
}): GraphQLError {
  const { complexity, maxComplexity, breadth, maxBreadth } = cost;
  return new GraphQLError(
    `This operation could cost ${complexity} of ${maxComplexity ?? '∞'} and names ${breadth} of ${maxBreadth ?? '∞'} fields: ask for smaller pages or fewer fields.`,
    {
      extensions: {
        code: 'QUERY_TOO_COMPLEX',
        cost: { requested: complexity, max: maxComplexity ?? null },
      },
    },
  );
}
