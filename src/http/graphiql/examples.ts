import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('examples/', import.meta.url));

/** The operations that GraphiQL opens with, each in a tab of its own; `test/http/graphiql.test.ts` runs all of them. */
export function exampleQueries(): { readonly name: string; readonly query: string }[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ name, query: readFileSync(join(FOLDER, name), 'utf8') }));
}
