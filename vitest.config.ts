import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const require = createRequire(import.meta.url);
const TESTS = fileURLToPath(new URL('test', import.meta.url));

const firstLines = new Map(
  readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => [`test/${path}`, readFileSync(join(TESTS, path), 'utf8').split('\n', 1)[0] ?? '']),
);
const saying = (word: RegExp) => [...firstLines].filter(([, line]) => word.test(line)).map(([path]) => path);

/** Test files whose first line says `@apart`, and why. */
const apart = saying(/^\/\/.*@apart\b/);
/** Those whose first line says `@long`: they begin first, so that no worker waits for them at the end. */
const long = saying(/^\/\/.*@long\b/);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      (project.config.isolate ? 0 : 2) + (long.some((path) => moduleId.endsWith(`/${path}`)) ? 0 : 1);
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

const resolve = {
  // Sources would get graphql's ES module and packages its CommonJS one: two copies, two classes of every error.
  alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }],
};

const each = {
  pool: 'forks',
  // Of tests that say so (test/soak/live): they wait for leases to end and forecasts to be made.
  maxConcurrency: 10,
  // They end what hangs. No test is meant to fail for the machine being busy: what takes three seconds alone took half
  // a minute beside four other suites. What must be fast is measured in bench/.
  testTimeout: Number(process.env.TEST_TIMEOUT_MS ?? 180_000),
  hookTimeout: 180_000,
  // The default of one second is a statement about the machine.
  expect: { poll: { timeout: 60_000 } },
} as const;

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Tests wait for PostgreSQL more than they compute; two keep two cores busy and leave the timings honest.
    maxWorkers: 2,
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { resolve, test: { ...each, name: 'apart', include: apart, isolate: true } },
      // In one process after the other: what the server is made of takes seconds to load, and each file has a database and
      // a server of its own. What looks at the process, or changes it, is apart.
      {
        resolve,
        test: { ...each, name: 'together', include: ['test/**/*.test.ts'], exclude: apart, isolate: false },
      },
    ],
  },
});
