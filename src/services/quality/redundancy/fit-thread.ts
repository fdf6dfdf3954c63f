import { parentPort } from 'node:worker_threads';
import { type StoppingSeen, stoppingFits } from './stopping-fits.js';

// A thread of its own for what takes seconds of a core: see openHelper. What is thrown ends it, and reaches who asked.
parentPort?.on('message', (seen: StoppingSeen) => parentPort?.postMessage(stoppingFits(seen)));
