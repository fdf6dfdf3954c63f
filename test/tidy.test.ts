// @once: reads the sources only
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CODE = /\.(ts|mjs|tsx|sql)$/;
const LINES_MAX = 300;

interface Source {
  readonly path: string;
  readonly text: string;
}

interface Ban {
  readonly what: string;
  readonly pattern: RegExp;
  readonly where: (path: string) => boolean;
  readonly instead: string;
}

const BANS: Ban[] = [
  {
    what: 'the process clock',
    pattern: /\bDate\.now\(|\bnew Date\(\)/,
    where: (path) => path.startsWith('src/services/'),
    instead: 'The database owns time: app.clock_now().',
  },
  {
    what: 'SQL from a string',
    pattern: /\$(queryRaw|executeRaw)Unsafe\b/,
    where: (path) => path.startsWith('src/'),
    instead: 'Use a Prisma.sql value.',
  },
  {
    what: 'the environment',
    pattern: /\bprocess\.env\b/,
    where: (path) => path.startsWith('src/') && path !== 'src/runtime/config.ts',
    instead: 'Take what you need from Config (src/runtime/config.ts).',
  },
  {
    what: 'an unfinished thought',
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    where: () => true,
    instead: 'Do it now, or say what is missing where people look for it.',
  },
  {
    what: 'a test that keeps the others from running',
    pattern: /\b(test|it|describe|suite)\.(only|todo|skip)\(/,
    where: (path) => path.startsWith('test/'),
    instead: 'Run one test with `npx vitest run <file> -t <title>`; remove what is not needed.',
  },
  {
    what: 'a sleep',
    pattern: /\bsetTimeout\((resolve|r|done)\b|\bpg_sleep\(/,
    where: (path) => path.startsWith('test/') && path.endsWith('.test.ts'),
    instead: 'Wait for a signal, or poll for what you wait for (expect.poll).',
  },
];

const sources = [
  ...walk('src'),
  ...walk('test'),
  ...walk('bench'),
  ...walk('scripts'),
  ...walk('bin'),
  ...walk('prisma'),
  ...walk('web'),
];

test.each(BANS)('nothing uses $what', ({ pattern, where, instead }) => {
  const found = sources
    .filter(({ path }) => where(path) && path !== 'test/tidy.test.ts')
    .flatMap(({ path, text }) => matchingLines(text, pattern).map((line) => `${path}:${line}  ${instead}`));
  expect(found).toEqual([]);
});

test(`no file of code is longer than ${LINES_MAX} lines`, () => {
  const long = sources
    .filter(({ path }) => !path.endsWith('.sql'))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > LINES_MAX);
  expect(long).toEqual([]);
});

test('everything that is exported is used somewhere else', () => {
  const files = new Map<string, number>();
  for (const { text } of sources) {
    for (const word of new Set(text.match(/\w+/g))) {
      files.set(word, (files.get(word) ?? 0) + 1);
    }
  }
  const unused = sources
    .filter(({ path }) => path.startsWith('src/') || path.startsWith('web/src/'))
    .flatMap(({ path, text }) =>
      exportedNames(text)
        .filter((name) => files.get(name) === 1)
        .filter((name) => !isUsedInPlace(text, name))
        .map((name) => `${path}: ${name}`),
    );
  expect(unused).toEqual([]);
});

test('test files that look at their process are apart: others run in one, one after the other', () => {
  const looking = sources.filter(
    ({ path, text }) =>
      path.endsWith('.test.ts') &&
      path !== 'test/tidy.test.ts' &&
      /\bprocess\.(memoryUsage|on\(|once\()|setFlagsFromString/.test(text),
  );
  expect(looking.length).toBeGreaterThan(3);
  expect(looking.filter(({ text }) => !/^\/\/.*@apart\b/.test(text)).map(({ path }) => path)).toEqual([]);
});

test('no path of anybody’s machine is written down', () => {
  const found = sources.filter(
    ({ path, text }) => path !== 'test/tidy.test.ts' && /\/(home|Users)\/[a-z]/.test(text),
  );
  expect(found.map(({ path }) => path)).toEqual([]);
});

function walk(directory: string): Source[] {
  return readdirSync(join(ROOT, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && CODE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/generated\/|^web\/dist\//.test(relative(ROOT, path)))
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') }));
}

function matchingLines(text: string, pattern: RegExp): number[] {
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}

function exportedNames(text: string): string[] {
  return [...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)].map(
    ([, name]) => name ?? '',
  );
}

/** A type that an exported function of the same file takes or returns is part of that function's contract. */
function isUsedInPlace(text: string, name: string): boolean {
  return /^[A-Z]/.test(name) && (text.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1;
}
