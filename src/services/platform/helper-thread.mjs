// The beginning of a thread that runs sources as they stand, as bin/touchstone.mjs does for the process: see helper.ts.
import { workerData } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

register();
await import(workerData.entry);
