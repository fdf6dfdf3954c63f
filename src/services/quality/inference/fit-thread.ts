import { parentPort } from 'node:worker_threads';
import { type Seen, versionsOf } from './versions.js';

// A thread of its own for what takes seconds of a core: see openHelper. What is thrown ends it, and reaches who asked.
parentPort?.on('message', (seen: Seen) => parentPort?.postMessage(versionsOf(seen)));
