// A day of work, drawn once from a seed and played on different orders of giving out: 30 projects, 12 skills (three of them
// rare), 1,000 experts. Time goes in steps; whoever has finished asks again, and takes a while over what they are given.

export const SKILLS = 12;
export const RARE_FROM = 10;
const COMMON = RARE_FROM - 1;
export const PROJECTS = 30;
export const EXPERTS = 1_000;
/** Experts who also hold a rare skill, one of the three each. */
const RARE_EXPERTS = 60;
const MEAN_SECONDS = 300;
const STEP_SECONDS = 20;
const BATCH_EVERY_SECONDS = 1_800;
/** More common work than there are hands, so that it always waits; rare work is two thirds of what its experts could do. */
const COMMON_LOAD = 1.05;
const RARE_LOAD = 0.65;

export interface SimProject {
  readonly id: number;
  readonly skill: number;
  readonly weight: number;
  /** Tasks of each batch. */
  readonly batch: number;
  readonly firstAt: number;
}

export interface Day {
  readonly projects: readonly SimProject[];
  /** Skills of each expert. */
  readonly skills: readonly (readonly number[])[];
}

/** A wait of one task in seconds, from its arrival until it was given or, where it never was, until the end. */
export interface Wait {
  readonly project: number;
  readonly seconds: number;
  readonly given: boolean;
}

/** An order of giving work out. One answer a task. */
export interface Router {
  arrive(project: SimProject, count: number): Promise<void>;
  /** Each expert's earlier task is done. @returns who of them was given something */
  ask(experts: readonly number[]): Promise<boolean[]>;
  /** Once a step, before anybody asks. */
  tick(seconds: number): Promise<void>;
  waits(): Promise<Wait[]>;
}

/** Uniform numbers from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function drawDay(seed: number): Day {
  const random = randomFrom(seed);
  const rate = EXPERTS / MEAN_SECONDS;
  const shapes = Array.from({ length: PROJECTS }, (_, n) => ({
    id: n + 1,
    skill: n < SKILLS ? n + 1 : ((n - SKILLS) % COMMON) + 1,
    // Three projects a common skill, of three weights.
    weight: [10, 20, 40][(n + Math.floor(n / COMMON)) % 3] ?? 10,
  }));
  const common = shapes.filter(({ skill }) => skill < RARE_FROM).reduce((sum, { weight }) => sum + weight, 0);
  const rareRate = (RARE_LOAD * RARE_EXPERTS) / (SKILLS - COMMON) / MEAN_SECONDS;
  return {
    projects: shapes.map((shape) => ({
      ...shape,
      batch: Math.round(
        BATCH_EVERY_SECONDS *
          (shape.skill < RARE_FROM ? (COMMON_LOAD * rate * shape.weight) / common : rareRate),
      ),
      firstAt: shape.skill < RARE_FROM ? 0 : Math.floor(random() * BATCH_EVERY_SECONDS),
    })),
    skills: Array.from({ length: EXPERTS }, (_, n) => {
      const one = 1 + Math.floor(random() * COMMON);
      const other = 1 + ((one + Math.floor(random() * (COMMON - 1))) % COMMON);
      return n < RARE_EXPERTS ? [one, other, RARE_FROM + (n % (SKILLS - COMMON))] : [one, other];
    }),
  };
}

/** Plays a day until so many claims were given. The same seed gives the same arrivals and the same pace, whatever the order. */
export async function play(
  day: Day,
  router: Router,
  { claims, seed }: { claims: number; seed: number },
): Promise<Wait[]> {
  const random = randomFrom(seed);
  const freeAt = day.skills.map(() => random() * MEAN_SECONDS);
  let given = 0;
  for (let now = 0; given < claims; now += STEP_SECONDS) {
    await router.tick(now);
    for (const project of day.projects) {
      const since = now - project.firstAt;
      if (since >= 0 && since % BATCH_EVERY_SECONDS < STEP_SECONDS) {
        await router.arrive(project, project.batch);
      }
    }
    const asking = [...freeAt.keys()].filter((expert) => (freeAt[expert] ?? 0) <= now);
    for (const [index, isGiven] of (await router.ask(asking)).entries()) {
      const expert = asking[index] ?? 0;
      if (isGiven) {
        given += 1;
        freeAt[expert] = now - MEAN_SECONDS * Math.log(1 - random());
      }
    }
  }
  return router.waits();
}
