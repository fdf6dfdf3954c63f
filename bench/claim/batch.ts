import type { Bench } from './bench.js';
import { connectCounted, withAdmin } from './machine.js';
import { heldOf, serve } from './serve-call.js';
import { explainStatements, readStatements, resetStatements } from './statements.js';

const BATCH = 64;
const WARM_UP = 10;
const MEASURED = 30;

/** What whole cycles cost the database alone, by full batches on one connection; with --explain statement by statement. */
export async function measureBatch(bench: Bench): Promise<void> {
  const world = await bench.world(bench.mainSize);
  const experts = [...world.experts.crowd];
  const client = await connectCounted(world.url);
  try {
    await withAdmin(world.url, async (admin) => {
      let cpu = 0;
      for (let n = 0; n < WARM_UP + MEASURED; n++) {
        if (n === WARM_UP) {
          await resetStatements(admin);
          cpu = bench.machine.cpuSeconds();
        }
        const asking = experts.splice(0, BATCH);
        const { claims } = await serve(client, world, { claims: asking });
        const held = asking.flatMap((expert, index) => {
          const outcome = claims[index];
          return (outcome === undefined ? null : heldOf(expert, outcome)) ?? [];
        });
        await serve(client, world, { submits: held });
        experts.push(...asking);
      }
      const cycles = MEASURED * BATCH;
      const spent = ((bench.machine.cpuSeconds() - cpu) * 1e6) / cycles;
      const statements = await readStatements(admin);
      if (bench.explain) {
        bench.say(
          explainStatements(
            [...statements].sort((a, b) => b.ms - a.ms),
            cycles,
          ),
        );
      }
      bench.figure({
        what: `PostgreSQL’s CPU of a cycle in batches of ${BATCH}, µs`,
        value: spent,
        note: 'counting included',
      });
    });
  } finally {
    await client.end();
  }
}
