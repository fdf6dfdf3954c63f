import { parseArgs } from 'node:util';
import { measureBatch } from './claim/batch.js';
import { Bench } from './claim/bench.js';
import { measureBuffers } from './claim/buffers.js';
import { measureCrowd, measureMemory } from './claim/crowd.js';
import { measureCycles } from './claim/cycles.js';
import { measureFairness } from './claim/fairness.js';
import { measureHistory } from './claim/history.js';
import { measureSimulation } from './claim/simulation.js';
import { measureSteady } from './claim/steady.js';
import { measureStorm } from './claim/storm.js';

// The claim under load, beside the same work in plain SQL on the same server: docs/benchmarks.md says how to read it.
// Prints a table as it goes, again at the end, and last one line of JSON.

const PARTS: Record<string, (bench: Bench) => Promise<void>> = {
  buffers: measureBuffers,
  batch: measureBatch,
  cycles: measureCycles,
  crowd: measureCrowd,
  memory: measureMemory,
  history: measureHistory,
  steady: measureSteady,
  storm: measureStorm,
  fairness: measureFairness,
  simulation: measureSimulation,
};

async function main(): Promise<void> {
  const values = readArguments();
  const parts = values?.only?.flatMap((names) => names.split(',')) ?? Object.keys(PARTS);
  const unknown = parts.filter((part) => PARTS[part] === undefined);
  if (values === null || unknown.length > 0) {
    console.error(`Usage: npm run bench -- claim [--only <part>[,<part>]] [--size <tasks>] [--full] [--explain]
Parts: ${Object.keys(PARTS).join(', ')}`);
    process.exitCode = 1;
    return;
  }
  const sizes = values.size?.map(Number) ?? [50_000, 500_000, ...(values.full ? [5_000_000] : [])];
  const bench = await Bench.start({ sizes, explain: values.explain, full: values.full });
  endInAnyCase(bench, values.full);
  try {
    for (const part of parts) {
      bench.say(`\n${part}`);
      await PARTS[part]?.(bench);
    }
  } finally {
    await bench.stop();
  }
  bench.report();
}

/** Null where something is not an argument. */
function readArguments() {
  try {
    return parseArgs({
      options: {
        full: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        size: { type: 'string', multiple: true },
        explain: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return null;
  }
}

/** Interrupted, broken or stuck: nothing that was started stays behind. */
function endInAnyCase(bench: Bench, full: boolean): void {
  const end = (why: unknown) => {
    console.error(why);
    void bench.stop().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => end(`Ended by ${signal}.`));
  }
  process.once('uncaughtException', end);
  setTimeout(() => end('This takes too long.'), (full ? 90 : 20) * 60_000).unref();
}

await main();
