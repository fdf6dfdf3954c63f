import type { Context } from '../context.js';
import type { IdType } from '../services/platform/ids.js';
import { badInput } from './api-errors.js';

/** Page sizes: what a list answers without `first`, and at most. */
export const PAGE = { default: 20, max: 100 } as const;

/** Which part of a list a client asks for. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** The part of a list that a read fetches: one row more than is shown tells whether there is more. */
export interface Page<K = bigint> {
  readonly take: number;
  readonly afterId: K | null;
}

/** One page in Relay's form. */
export interface ConnectionOf<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** How a row of a list is named in a cursor, and what a cursor names. */
export interface Cursor<T, K = bigint> {
  readonly encode: (row: T) => string;
  /** @throws BAD_USER_INPUT for what `encode` did not make */
  readonly decode: (text: string) => K;
}

/**
 * Fetches one page and puts it into Relay's form.
 * @throws BAD_USER_INPUT for a page size out of range or a foreign cursor
 */
export async function page<T, K = bigint>(
  args: PageArgs,
  cursor: Cursor<T, K>,
  fetch: (page: Page<K>) => Promise<readonly T[]>,
): Promise<ConnectionOf<T>> {
  const first = args.first ?? PAGE.default;
  if (first < 1 || first > PAGE.max) {
    throw badInput(`\`first\` must be from 1 to ${PAGE.max}.`);
  }
  const afterId = typeof args.after === 'string' ? cursor.decode(args.after) : null;
  const rows = await fetch({ take: first + 1, afterId });
  const edges = rows.slice(0, first).map((node) => ({ cursor: cursor.encode(node), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: rows.length > first,
      hasPreviousPage: afterId !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** {@link page} of rows with ids. */
export function pageOf<T extends { readonly id: bigint }>(
  args: PageArgs,
  { ctx, type }: { ctx: Context; type: IdType },
  fetch: (page: Page) => Promise<readonly T[]>,
): Promise<ConnectionOf<T>> {
  return page<T>(
    args,
    idCursor<T>(ctx, type, ({ id }) => id),
    fetch,
  );
}

/** Cursors made of opaque ids, so that they tell nothing either. */
export function idCursor<T>(ctx: Context, type: IdType, idOf: (row: T) => bigint): Cursor<T> {
  return {
    encode: (row) => ctx.app.ids.encode(type, idOf(row)),
    decode(text) {
      const decoded = ctx.app.ids.decode(text);
      if (decoded === null || decoded.type !== type) {
        throw badInput('`after` is not a cursor of this list.');
      }
      return decoded.id;
    },
  };
}

/** Keyset paging by id, oldest first: what is added while somebody pages comes at the end. */
export function forward({ take, afterId }: Page) {
  return { take, orderBy: { id: 'asc' }, where: afterId === null ? {} : { id: { gt: afterId } } } as const;
}

/** Keyset paging by id, newest first. */
export function backward({ take, afterId }: Page) {
  return { take, orderBy: { id: 'desc' }, where: afterId === null ? {} : { id: { lt: afterId } } } as const;
}
