#!/usr/bin/env node
// Runs src/cli.ts as it stands: no build, no install script. The generated client is made at the first call.
import { register } from 'tsx/esm/api';
import { ensureGenerated } from '../scripts/generate.mjs';

await ensureGenerated();
register();
const { main } = await import('../src/cli.ts');
await main(process.argv);
