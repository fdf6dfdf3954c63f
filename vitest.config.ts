import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const require = createRequire(import.meta.url);

export default defineConfig({
  resolve: {
    // Sources would get graphql's ES module and packages its CommonJS one: two copies, two classes of every error.
    alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Tests wait for PostgreSQL more than they compute; two keep two cores busy and leave the timings honest.
    maxWorkers: 2,
    // Of tests that say so (test/soak/live): they wait for leases to end and forecasts to be made.
    maxConcurrency: 10,
    // They end what hangs. No test is meant to fail for the machine being busy: what takes three seconds alone took half
    // a minute beside four other suites. What must be fast is measured in bench/.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    // The default of one second is a statement about the machine.
    expect: { poll: { timeout: 60_000 } },
  },
});
