// Which test files touch the database: those that reach test/support/postgres-server.ts by their imports, directly or
// not. A file whose first line says `// @once` is left out: it starts servers of its own, or looks at what is the same on
// every PostgreSQL.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './support.mjs';

const SERVER = join(ROOT, 'test/support/postgres-server.ts');

/** Paths of the files to run again on another PostgreSQL, relative to the root. */
export function databaseTests() {
  return testFiles()
    .filter((file) => !readFileSync(file, 'utf8').startsWith('// @once') && reaches(file, new Set()))
    .map((file) => relative(ROOT, file));
}

function testFiles() {
  return readdirSync(join(ROOT, 'test'), { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(ROOT, 'test', path));
}

function reaches(file, seen) {
  if (file === SERVER) {
    return true;
  }
  seen.add(file);
  return importsOf(file).some((imported) => !seen.has(imported) && reaches(imported, seen));
}

function importsOf(file) {
  return [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g)]
    .map(([, path]) => join(dirname(file), `${path}.ts`))
    .filter((path) => path.startsWith(join(ROOT, 'test')) && existsSync(path));
}
