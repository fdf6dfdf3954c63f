import type { z } from 'zod';
import type { Prisma } from '../../generated/prisma/client.js';

/** Anything that runs a `Prisma.sql` value: the client inside a scoped transaction. */
export interface Queryable {
  $queryRaw<T = unknown>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): PromiseLike<T>;
}

/** Runs one statement and checks every row, so that a drifted column fails at its source. */
export async function many<T>(db: Queryable, row: z.ZodType<T>, query: Prisma.Sql): Promise<T[]> {
  const rows = await db.$queryRaw<unknown[]>(query);
  return rows.map((r) => row.parse(r));
}

/** {@link many} where at most one row can come; more is a bug. */
export async function maybeOne<T>(db: Queryable, row: z.ZodType<T>, query: Prisma.Sql): Promise<T | null> {
  const rows = await many(db, row, query);
  if (rows.length > 1) {
    throw new Error(`Expected at most one row, got ${rows.length}`);
  }
  return rows[0] ?? null;
}

/** {@link many} where exactly one row must come. */
export async function one<T>(db: Queryable, row: z.ZodType<T>, query: Prisma.Sql): Promise<T> {
  const found = await maybeOne(db, row, query);
  if (found === null) {
    throw new Error('Expected one row, got none');
  }
  return found;
}

/** Runs a statement for its effect. */
export async function run(db: Queryable, query: Prisma.Sql): Promise<void> {
  await db.$queryRaw(query);
}
