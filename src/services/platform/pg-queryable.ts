import type pg from 'pg';
import type { Prisma } from '../../generated/prisma/client.js';
import type { Queryable } from './rows.js';

/**
 * Runs `Prisma.sql` values on a pool or connection of pg itself: background work that asks often, and statements that
 * must run on the very session that holds a lock. int8 arrives as text, so row schemas coerce it.
 */
export function pgQueryable(client: pg.Pool | pg.ClientBase): Queryable {
  return {
    async $queryRaw<T>(query: TemplateStringsArray | Prisma.Sql): Promise<T> {
      if (!('text' in query)) {
        throw new TypeError('Pass a Prisma.sql value.');
      }
      const result = await client.query({ text: query.text, values: query.values as unknown[] });
      return result.rows as T;
    },
  };
}
