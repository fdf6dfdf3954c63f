// npm run teeth [-- numbers]: does the suite bite? For each row of test/teeth.md the patch, which takes out one guard, is
// applied alone to a copy of the tree, and the named test must fail there: by its own assertion, not because nothing
// starts. Without a patch every named test must pass.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureGenerated } from './generate.mjs';
import { capture, ROOT, tool } from './support.mjs';

await ensureGenerated();
const wanted = process.argv.slice(2);
const teeth = readTable().filter(({ number }) => wanted.length === 0 || wanted.includes(number));
if (teeth.length === 0) {
  throw new Error('test/teeth.md has no such row.');
}

const tree = await copyTree();
process.once('SIGINT', () => {
  rmSync(tree, { recursive: true, force: true });
  process.exit(130);
});
let failures = 0;
try {
  const unbitten = await runTests(teeth);
  for (const tooth of teeth) {
    report(
      tooth,
      unbitten.get(tooth) === 'passed' ? await bite(tooth) : `without the patch: ${unbitten.get(tooth)}`,
    );
  }
} finally {
  rmSync(tree, { recursive: true, force: true });
}
console.log(`\n${teeth.length - failures} of ${teeth.length} patches were caught.`);
process.exitCode = failures > 0 ? 1 : 0;

/** Rows such as: | 1 | `01-name.patch` | what it removes | `test/rules/rule-01.test.ts` › title of the test | */
function readTable() {
  return readFileSync(`${ROOT}test/teeth.md`, 'utf8')
    .split('\n')
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map(([, number, patch, removes, ...test]) => ({
      number,
      patch: /[\w.-]+\.patch/.exec(patch ?? '')?.[0],
      removes,
      file: /test\/[\w./-]+\.test\.ts/.exec(test.join(' '))?.[0],
      title: /\.test\.ts[`)\]]*\s*(?:›|\|)?\s*(.*)$/
        .exec(test.filter(Boolean).join(' | '))?.[1]
        ?.replaceAll('\\|', '|'),
    }))
    .filter(({ patch, file, title }) => patch && file && title);
}

/** What git would see of the tree as it stands, uncommitted changes included; the packages by a link. */
async function copyTree() {
  const copy = mkdtempSync(join(tmpdir(), 'touchstone-teeth-'));
  const { output } = await capture(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const deleted = await capture(['git', 'ls-files', '-z', '--deleted']);
  const gone = new Set(deleted.output.split('\0'));
  for (const file of output.split('\0').filter((name) => name !== '' && !gone.has(name))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  cpSync(`${ROOT}src/generated`, `${copy}/src/generated`, { recursive: true });
  symlinkSync(`${ROOT}node_modules`, `${copy}/node_modules`);
  return copy;
}

async function bite(tooth) {
  const patch = `${ROOT}test/teeth/${tooth.patch}`;
  const applied = await gitApply(patch);
  if (applied.code !== 0) {
    return `does not apply: ${applied.output.trim().split('\n')[0]}`;
  }
  try {
    const status = (await runTests([tooth])).get(tooth);
    return status === 'failed' ? 'caught' : `not caught: ${status}`;
  } finally {
    await gitApply(patch, '--reverse');
  }
}

/** The ceiling keeps git from taking a repository around the copy for its own, where paths would be others. */
function gitApply(patch, ...options) {
  const env = { GIT_CEILING_DIRECTORIES: dirname(tree) };
  return capture(['git', 'apply', ...options, patch], { cwd: tree, env });
}

/** The status of each named test: passed, failed, or what kept it from running. */
async function runTests(rows) {
  const reportFile = join(tree, '.teeth-report.json');
  rmSync(reportFile, { force: true });
  const files = [...new Set(rows.map(({ file }) => file))];
  const titles = rows.map(({ title }) => `${escapeRegExp(title)}$`).join('|');
  const { output } = await capture(
    tool('vitest/vitest.mjs', 'run', ...files, '-t', titles, '--reporter=json', `--outputFile=${reportFile}`),
    { cwd: tree },
  );
  const results = readResults(reportFile);
  return new Map(rows.map((row) => [row, statusOf(row, results, output)]));
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch {
    return [];
  }
}

function statusOf({ file, title }, results, output) {
  const suite = results.find(({ name }) => name.endsWith(`/${file}`));
  if (suite === undefined) {
    return `nothing ran (${output.trim().split('\n').at(-1) ?? 'no output'})`;
  }
  const statuses = suite.assertionResults
    .filter((result) => result.title === title || result.fullName.endsWith(title))
    .map(({ status }) => status);
  if (statuses.length === 0) {
    return suite.message
      ? `the file does not load (${suite.message.split('\n')[0]})`
      : 'no test of this title';
  }
  // A failed hook leaves its tests skipped: that is no bite.
  return statuses.includes('failed')
    ? 'failed'
    : statuses.every((s) => s === 'passed')
      ? 'passed'
      : 'did not run';
}

function escapeRegExp(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function report({ number, patch, removes }, outcome) {
  if (outcome !== 'caught') {
    failures += 1;
  }
  console.log(
    `${outcome === 'caught' ? 'ok    ' : 'FAILED'} ${number.padStart(2)} ${patch}: ${removes} — ${outcome}`,
  );
}
