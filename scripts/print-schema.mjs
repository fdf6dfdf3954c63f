// Prints the API to schema.graphql (`npm run schema`), or with --check fails where the file is not what the code says.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { register } from 'tsx/esm/api';
import { ensureGenerated } from './generate.mjs';
import { ROOT } from './support.mjs';

const FILE = `${ROOT}schema.graphql`;

await ensureGenerated();
register();
const { schema } = await import('../src/schema/index.ts');
const printed = `${printSchema(lexicographicSortSchema(schema))}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, printed);
} else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== printed) {
  console.log('schema.graphql is out of date. Run `npm run schema`, and read the difference: it is the API.');
  process.exitCode = 1;
}
