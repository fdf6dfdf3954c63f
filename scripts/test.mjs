// npm test: the whole suite on the embedded PostgreSQL 18. With CI=true beside it every test that touches the database on
// PostgreSQL 15, and nothing may be skipped. Arguments go to vitest (`npm test -- test/rules`), and mean one run on 18.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ensureWeb } from './build-web.mjs';
import { databaseTests } from './database-tests.mjs';
import { ensureGenerated } from './generate.mjs';
import { ROOT, reportCounts, reportFailures, run, runTold, tool } from './support.mjs';
import { ensureServers } from './test-servers.mjs';

const CI = process.env.CI === 'true';
const args = process.argv.slice(2);
const LINES_OF_MESSAGE = 6;
/** Files that are named with their time. */
const SLOWEST = 12;
/** Tests of public sets that are not there: test/quality/support/public-sets.ts names them so. */
const NOT_RUN = /\(not run: a public set is not there\)$/;
/** All seeds of test/soak run on 18; on 15 so many, for CI has a quarter of an hour. */
const FEWER_SEEDS = { SEEDS: process.env.SEEDS ?? '10', KILLS: process.env.KILLS ?? '1' };

await ensureGenerated();
// Once, before tests that serve it want it at the same moment.
await ensureWeb();
if (CI) {
  await ensureServers();
}

const legs = [{ name: 'embedded PostgreSQL 18', files: args, options: [], env: {} }];
if (CI && args.length === 0) {
  // At once: tests wait for servers, browsers and clocks more than they compute, and what one leg leaves idle the other takes.
  const env = { ...FEWER_SEEDS, TEST_POSTGRES: '15' };
  legs.push({ name: 'PostgreSQL 15', files: databaseTests(), options: ['--maxWorkers=1'], env });
}
conclude(await Promise.all(legs.map(runLeg)));

async function runLeg({ name, files, options, env }) {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-report-'));
  const report = join(directory, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const command = tool('vitest/vitest.mjs', 'run', ...reporters, ...options, ...files);
    const code =
      legs.length === 1
        ? await run(command, { env })
        : await runTold(command, (line) => console.log(`${name} | ${line}`), { env });
    return { name, ...count(name, { report, code }) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A file that cannot be loaded counts as one failure, and so does a run that fails without saying why. */
function count(name, { report, code }) {
  const counts = readCounts(name, report);
  if (code !== 0 && counts.failed === 0) {
    counts.failed = 1;
    counts.failures = [`vitest ended with ${code} though no test failed: see its output above`];
  }
  return counts;
}

function readCounts(name, report) {
  let json;
  try {
    json = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      notRun: 0,
      failures: ['vitest left no report: it did not run to its end'],
    };
  }
  const failures = json.testResults.flatMap(failuresOf);
  if (json.testResults.length > SLOWEST) {
    tellSlowest(name, json.testResults);
  }
  return {
    passed: json.numPassedTests,
    failed: failures.length,
    skipped: json.numPendingTests + (json.numTodoTests ?? 0) - notRunOf(json),
    notRun: notRunOf(json),
    failures,
  };
}

/** What a quarter of an hour goes to. */
function tellSlowest(leg, files) {
  const took = files
    .map(({ name, startTime, endTime }) => ({
      path: relative(ROOT, name),
      seconds: (endTime - startTime) / 1_000,
    }))
    .sort((one, other) => other.seconds - one.seconds);
  console.log(`\n${leg}: the slowest of ${took.length} files:`);
  for (const { path, seconds } of took.slice(0, SLOWEST)) {
    console.log(`${seconds.toFixed(0).padStart(6)} s  ${path}`);
  }
}

function notRunOf(json) {
  return json.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, title }) => status !== 'passed' && status !== 'failed' && NOT_RUN.test(title)).length;
}

/** The failed tests of one file by their full names, each with the first lines of what it said; or the file itself. */
function failuresOf(file) {
  const path = relative(ROOT, file.name);
  const tests = file.assertionResults
    .filter(({ status }) => status === 'failed')
    .map((test) => `${path} › ${test.fullName} (${Math.round(test.duration ?? 0)} ms)${messageOf(test)}`);
  return tests.length === 0 && file.status === 'failed'
    ? [`${path}${firstLines(file.message || 'a hook failed: its message is above')}`]
    : tests;
}

/** Of a test that timed out the report has only this word, and no message. */
function messageOf({ failureMessages }) {
  return firstLines(failureMessages.join('\n').replace('STACK_TRACE_ERROR', 'it ran into its time limit'));
}

function firstLines(message = '') {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('/node_modules/'));
  return lines
    .slice(0, LINES_OF_MESSAGE)
    .map((line) => `\n    ${line}`)
    .join('');
}

function conclude(results) {
  const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
  // Last, where output that is cut keeps it.
  const failures = results.flatMap(({ name, failures: ofLeg }) =>
    ofLeg.map((failure) => `${name}: ${failure}`),
  );
  console.log(failures.map((failure) => `\nFAILED ${failure}`).join('\n'));
  for (const { name, passed, failed, skipped, notRun } of results) {
    console.log(
      `${name}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${notRun} not run for want of a public set`,
    );
  }
  const skipped = total('skipped');
  const failed = total('failed') + (CI ? skipped : 0);
  if (CI && skipped > 0) {
    console.log('In CI a skipped test counts as failed: it would have shown nothing.');
  }
  reportFailures(failures);
  reportCounts({ passed: total('passed'), failed });
  if (failed > 0 || total('passed') === 0) {
    process.exitCode = 1;
  }
}
