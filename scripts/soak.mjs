// npm run soak: test/soak at length; `npm test` runs the same files with 50 seeds and 3 kills (on PostgreSQL 15 with 10 and 1). SEEDS interleavings (1,000)
// and KILLS real kills (20), from SEED on (default: by the clock, and printed, so that a failure can be run again); and
// replays of the public sets REPLAY (rte d_product, found under TOUCHSTONE_DATA) over a server that is killed five times
// during each. A first argument that is no option says which files of test/soak; all others go to vitest.
import { ensureGenerated } from './generate.mjs';
import { run, tool } from './support.mjs';

const env = {
  SEEDS: process.env.SEEDS ?? '1000',
  KILLS: process.env.KILLS ?? '20',
  REPLAY: process.env.REPLAY ?? 'rte d_product',
  // As long as it takes.
  TEST_TIMEOUT_MS: '0',
  SEED: process.env.SEED ?? String(Date.now() % 1_000_000_000),
};
console.log(`SEED=${env.SEED} SEEDS=${env.SEEDS} KILLS=${env.KILLS} npm run soak`);
await ensureGenerated();
// Filters of vitest add up: beside the directory a file's name would leave nothing out.
const args = process.argv.slice(2);
const where = args[0]?.startsWith('-') === false ? [] : ['test/soak'];
process.exitCode = await run(tool('vitest/vitest.mjs', 'run', ...where, ...args, '--maxWorkers=1'), { env });
