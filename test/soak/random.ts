/** A stream of numbers from 0 to below 1 that a seed decides (mulberry32). */
export type Random = () => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number from `min` to `max`. */
export const between = (random: Random, min: number, max: number): number =>
  min + Math.floor(random() * (max - min + 1));

export function oneOf<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** Which seeds to run, from the environment: SEED is the first (default 1), `count` how many. */
export function seedsOf(count: number): number[] {
  const first = Number(process.env.SEED ?? 1);
  return Array.from({ length: count }, (_, n) => first + n);
}

/** Runs one seed; a failure says how to run it again. */
export async function seeded(run: (seed: number) => Promise<void>, seed: number): Promise<void> {
  try {
    await run(seed);
  } catch (error) {
    throw new Error(`Seed ${seed} failed. Run it again: SEED=${seed} SEEDS=1 KILLS=1 npm run soak`, {
      cause: error,
    });
  }
}
