// @once: files alone
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path];

/** Modules of ours that a module asks for when it runs; types are gone by then. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:^|\n)(?:import|export) (?!type )[^;]*?from '(\.[^']+)\.js'/g)]
    .map(([, path]) => resolve(dirname(file), `${path}.ts`))
    .filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);

test('a change of anything that is in the bundle makes another bundle', () => {
  const script = readFileSync(join(ROOT, 'scripts/build-web.mjs'), 'utf8');
  const [, listed = ''] = /const SOURCES = \[([^\]]*)\]/.exec(script) ?? [];
  const sources = [...listed.matchAll(/'([^']+)'/g)].map(([, path]) => path ?? '');
  expect(sources).toContain('web/src');
  const reached = new Set(filesIn(join(ROOT, 'web/src')).filter((path) => /\.tsx?$/.test(path)));
  for (const file of reached) {
    for (const path of importsOf(file)) {
      reached.add(path);
    }
  }
  const paths = [...reached].map((path) => relative(ROOT, path));
  expect(paths).toContain('src/services/projects/intake-parse.ts');
  expect(paths.filter((path) => !sources.some((one) => path === one || path.startsWith(`${one}/`)))).toEqual(
    [],
  );
});
