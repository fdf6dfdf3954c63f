import { infer } from '../src/services/quality/inference/infer.js';
import { votesOf } from '../src/services/quality/inference/item-model.js';
import { LiveTruth } from '../src/services/quality/inference/live-truth.js';
import { credit } from '../src/services/quality/inference/posterior.js';
import { percentile } from './claim/stats.js';
import { goldOf, type Simulated, simulate } from './inference/simulated.js';
import { measureSubmits } from './inference/submits.js';

// Truth inference by every method, their trial on gold and their calibration, of a million simulated answers; then what
// one answer more costs its own item, in memory and in the database of a submit. Prints a table and, last, one line of JSON: seconds1M,
// incrementalMs (the more costly of the two), posteriorMs, submitMs, rssMb. `--small`: a tenth of all, to see that it runs.

const SMALL = process.argv.includes('--small') ? 0.1 : 1;
const SIZE = { items: 100_000 * SMALL, workers: 2_000 * SMALL, classes: 5, answersAnItem: 10, seed: 1 };
const GOLD = 2_000 * SMALL;
const SINGLE_ANSWERS = 2_000 * SMALL;
const SUBMITS = { answered: 20_000 * SMALL, timed: 2_000 * SMALL };

const set = simulate(SIZE);
const began = { wall: performance.now(), cpu: process.cpuUsage() };
const inference = infer(set.table, goldOf(set, GOLD));
const seconds1M = (performance.now() - began.wall) / 1000;
const cpu = process.cpuUsage(began.cpu);
const rssMb = process.resourceUsage().maxRSS / 1024;

for (const [method, { posterior }] of inference.judgements) {
  const right = set.truth.reduce(
    (sum, truth, item) => sum + credit(posterior, SIZE.classes, { item, truth }),
    0,
  );
  console.log(`${method.padEnd(12)} accuracy ${(right / SIZE.items).toFixed(4)}`);
}
console.log(`chosen       ${inference.chosen}`);
const posteriorMs = measureSingleAnswers(set);
const submitMs = await measureSubmits(SUBMITS);
const incrementalMs = Math.max(posteriorMs, submitMs);
console.log(
  `one million answers    ${seconds1M.toFixed(2)} s  (bar: 10; CPU ${((cpu.user + cpu.system) / 1e6).toFixed(2)} s)`,
);
console.log(
  `one answer, posteriors of its item by every method, p99       ${posteriorMs.toFixed(3)} ms (bar: 5)`,
);
console.log(
  `one answer, all that its submit does for inference, p99       ${submitMs.toFixed(3)} ms (bar: 5)`,
);
console.log(`resident memory, peak  ${rssMb.toFixed(0)} MiB`);
console.log(
  JSON.stringify({
    seconds1M: round(seconds1M),
    incrementalMs: round(incrementalMs),
    posteriorMs: round(posteriorMs),
    submitMs: round(submitMs),
    rssMb: Math.round(rssMb),
  }),
);

/** The 99th percentile of the time from an answer to the posteriors of its item by every kept model. */
function measureSingleAnswers({ table, truth }: Simulated): number {
  const live = new LiveTruth(SIZE.classes);
  for (let item = 0; item < SIZE.items; item++) {
    for (const vote of votesOf(table, item)) {
      live.add({ item, ...vote });
    }
  }
  for (const { item, truth: known } of goldOf({ table, truth }, GOLD)) {
    live.setTruth(item, known);
  }
  const models = [...inference.judgements.values()].map(({ model }) => model);
  const times = Array.from({ length: SINGLE_ANSWERS }, (_, k) => {
    const item = GOLD + k;
    const start = performance.now();
    live.add({ item, worker: (k * 31) % SIZE.workers, label: k % SIZE.classes });
    live.posterior(item);
    for (const model of models) {
      live.posterior(item, model);
    }
    return performance.now() - start;
  });
  return percentile(times, 0.99);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
