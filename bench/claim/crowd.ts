import type { Bench } from './bench.js';
import { checked } from './cycles.js';
import { askAtOnce, runCycles, withDatabase } from './in-process.js';
import { startNode } from './node.js';
import { median, medianRatio, percentile } from './stats.js';

const ROUNDS = 3;

/** Two thousand experts in the same moment, in process and over HTTP; and everybody on one skill. */
export async function measureCrowd(bench: Bench): Promise<void> {
  const world = await bench.world(bench.mainSize);
  const { crowd, hot } = world.experts;
  await withDatabase(world, async (db) => {
    await runCycles(db, world, { experts: crowd, callers: 64, cycles: 500 });
    const found: number[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const { claimMs, submitMs } = await askAtOnce(db, world, n % 2 === 0 ? crowd : hot);
      bench.say(
        `  ${claimMs.length} at once: claim p50 ${percentile(claimMs, 0.5).toFixed(0)}, p99 ${percentile(claimMs, 0.99).toFixed(0)} ms;` +
          ` submit p99 ${percentile(submitMs, 0.99).toFixed(0)} ms`,
      );
      found.push(percentile(claimMs, 0.99));
    }
    bench.figure({
      name: 'p99Ms2000',
      what: 'claim p99 in process, 2,000 at once, ms',
      value: median(found),
      max: 1500,
    });
    const pairs: [number, number][] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const cycles = bench.cycles / 2;
      const one = await runCycles(db, world, { experts: hot, callers: 64, cycles, skillId: 1n });
      const spread = await runCycles(db, world, { experts: crowd, callers: 64, cycles });
      bench.say(`  one hot skill ${one.perSecond.toFixed(0)}/s, spread ${spread.perSecond.toFixed(0)}/s`);
      pairs.push([one.perSecond, spread.perSecond]);
    }
    bench.figure({
      name: 'hotVsSpread',
      what: 'cycles a second on one hot skill over spread',
      value: medianRatio(pairs),
      min: 0.6,
    });
  });
  await overHttp(bench);
}

async function overHttp(bench: Bench): Promise<void> {
  const world = await bench.world(bench.mainSize);
  const node = await startNode(world);
  try {
    await node.load(world.experts.hot, { kind: 'cycles', inFlight: 64, cycles: 500, next: false });
    const found: number[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const { claimMs, shed } = checked(await node.load(world.experts.crowd, { kind: 'atOnce' }));
      bench.say(
        `  ${claimMs.length} at once over HTTP: p99 ${percentile(claimMs, 0.99).toFixed(0)} ms, ${shed} shed`,
      );
      found.push(percentile(claimMs, 0.99));
    }
    bench.figure({
      name: 'p99Ms2000Http',
      what: 'claim p99 over HTTP, 2,000 at once, ms',
      value: median(found),
      max: 3000,
    });
  } finally {
    await node.stop();
  }
}

/** Every expert connected, subscribed to their own leases, and with work in hand. */
export async function measureMemory(bench: Bench): Promise<void> {
  const world = await bench.world(bench.mainSize);
  const node = await startNode(world);
  try {
    const before = node.rssMb();
    checked(await node.load(world.experts.crowd, { kind: 'sockets' }, true));
    bench.figure({
      name: 'nodeRssMb',
      what: 'memory of a node with 2,000 connected experts, MB',
      value: node.rssMb(),
      max: 400,
      note: `${before.toFixed(0)} before they came`,
    });
  } finally {
    await node.stop();
  }
}
