#!/usr/bin/env node
// Runs src/cli.ts as it stands: no build, no install script. The generated client is made at the first call.
import { setFlagsFromString } from 'node:v8';
import { register } from 'tsx/esm/api';
import { ensureGenerated } from '../scripts/generate.mjs';

// Collects garbage before the heap has doubled: a busy node then stays at two thirds of the memory, for hardly more CPU.
setFlagsFromString('--heap-growing-percent=50');
// Young garbage is collected by the thread that made it: where others want the cores, thousands who come back at once are served sooner (docs/benchmarks.md).
setFlagsFromString('--no-parallel-scavenge');
await ensureGenerated();
register();
const { main } = await import('../src/cli.ts');
await main(process.argv);
