#!/usr/bin/env node
// Runs src/cli.ts as it stands: no build, no install script. The generated client is made at the first call.
import { setFlagsFromString } from 'node:v8';
import { register } from 'tsx/esm/api';
import { ensureGenerated } from '../scripts/generate.mjs';

// Collects garbage before the heap has doubled: a busy node then stays at two thirds of the memory, for hardly more CPU.
setFlagsFromString('--heap-growing-percent=50');
// Young garbage is collected by the thread that made it: helpers cost a busy node more CPU than they take off it, and its neighbours theirs.
setFlagsFromString('--no-parallel-scavenge');
await ensureGenerated();
register();
const { main } = await import('../src/cli.ts');
await main(process.argv);
