import { expect, test } from 'vitest';
import { createMeasuring } from '../../src/jobs/measuring.js';

/** A measuring that costs `costMs`, by a clock that the test moves. */
function started(costMs: number) {
  const measuring = createMeasuring();
  const world = { ms: 0, written: 0, measured: [] as number[], fails: false };
  const step = () =>
    measuring.step({
      written: () => Promise.resolve(world.written),
      measure: async () => {
        if (world.fails) {
          throw new Error('no lock');
        }
        world.measured.push(world.ms);
        world.ms += costMs;
      },
      now: () => world.ms,
    });
  /** Steps as the job does, until `ms`. Says when it measured. */
  const until = async (ms: number): Promise<number[]> => {
    const before = world.measured.length;
    while (Math.max(world.ms, measuring.dueAtMs) <= ms) {
      world.ms = Math.max(world.ms, measuring.dueAtMs);
      await step();
    }
    world.ms = ms;
    return world.measured.slice(before);
  };
  return { measuring, world, step, until };
}

const gaps = (at: readonly number[]): number[] => at.slice(1).map((ms, n) => ms - (at[n] ?? 0));

test('what is cheap is measured each five seconds, and what is not for a twentieth of the time', async () => {
  expect(await started(0).until(15_000)).toEqual([0, 5_000, 10_000, 15_000]);
  expect(await started(1_000).until(60_000)).toEqual([0, 21_000, 42_000]);
});

test('a measuring that failed is due at once, also of what was written in a rest', async () => {
  const { measuring, world, step, until } = started(600);
  await until(200_000);
  world.ms = measuring.dueAtMs;
  await until(world.ms);
  world.written = 1;
  world.fails = true;
  world.ms = measuring.dueAtMs;
  await expect(step()).rejects.toThrow('no lock');
  world.fails = false;
  expect(await until(world.ms)).toHaveLength(1);
});

test('work that waits while nobody writes is found to have waited for a minute', async () => {
  const { world, until } = started(600);
  await until(300_000);
  world.written = 1;
  const found = await until(420_000);
  expect(found[0]).toBeLessThanOrEqual(313_000);
  expect(Math.max(...gaps(found))).toBeLessThan(13_000);
  expect(found.some((ms) => ms > 361_000 && ms < 375_000)).toBe(true);
});

test('while nothing is written, what is costly rests, a minute at most', async () => {
  const { world, until } = started(600);
  await until(300_000);
  const rests = gaps(await until(1_000_000));
  expect(Math.min(...rests)).toBeGreaterThan(60_000);
  expect(Math.max(...rests)).toBeLessThanOrEqual(62_000);
  expect(world.measured.length).toBeLessThan(30);
});
