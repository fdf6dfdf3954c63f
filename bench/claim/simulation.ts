import type { Bench } from './bench.js';
import { type Day, drawDay, play, RARE_FROM, type Wait } from './sim.js';
import { InDatabase } from './sim-database.js';
import { Model, PlainPriority } from './sim-routers.js';
import { percentile } from './stats.js';

const SEED = 20_261_129;
const CLAIMS = 200_000;
/** On the database as well: the model's figures must be the product's. */
const CHECKED_CLAIMS = 10_000;

/**
 * Waits, shares and rare skills over a day. Two hundred thousand claims go by a model of the claim's rules in memory; the
 * first ten thousand also by the database itself, and both must come to the same.
 */
export async function measureSimulation(bench: Bench): Promise<void> {
  const day = drawDay(SEED);
  const ours = await play(day, new Model(day), { claims: CLAIMS, seed: SEED });
  const plain = await play(day, new PlainPriority(day), { claims: CLAIMS, seed: SEED });
  bench.say(tableOf(day, ours, plain));
  bench.figure({
    name: 'rareSkillWaitRatio',
    what: 'mean wait for rare skills over plain priority order’s',
    value: rareWait(day, ours) / rareWait(day, plain),
    max: 0.7,
    note: `${minutes(rareWait(day, ours))} over ${minutes(rareWait(day, plain))} minutes; ${CLAIMS} claims, in memory`,
  });
  await checkModel(bench, day);
}

async function checkModel(bench: Bench, day: Day): Promise<void> {
  const task = { claims: CHECKED_CLAIMS, seed: SEED };
  const database = await InDatabase.create(bench, day);
  try {
    const real = await play(day, database, task);
    const model = await play(day, new Model(day), task);
    bench.figure({
      what: `mean rare wait in the database over the model’s, ${CHECKED_CLAIMS} claims`,
      value: rareWait(day, real) / rareWait(day, model),
      min: 0.85,
      max: 1.15,
      note: `${minutes(rareWait(day, real))} over ${minutes(rareWait(day, model))} minutes`,
    });
  } finally {
    await database.end();
  }
}

const minutes = (seconds: number) => (seconds / 60).toFixed(1);

/** Of all tasks of rare skills, those that still wait at the end included. */
function rareWait(day: Day, waits: readonly Wait[]): number {
  const rare = new Set(day.projects.filter(({ skill }) => skill >= RARE_FROM).map(({ id }) => id));
  const found = waits.filter(({ project }) => rare.has(project));
  return found.reduce((sum, { seconds }) => sum + seconds, 0) / found.length;
}

function tableOf(day: Day, ours: readonly Wait[], plain: readonly Wait[]): string {
  const lines = day.projects.map(({ id, skill, weight }) =>
    [
      String(id).padStart(9),
      `${skill}${skill >= RARE_FROM ? ' rare' : ''}`.padStart(8),
      String(weight).padStart(7),
      shareOf(day, id, ours).padStart(10),
      waitsOf(id, ours),
      shareOf(day, id, plain).padStart(12),
      waitsOf(id, plain),
    ].join(' '),
  );
  const head = '  project    skill  weight      share     p50     p99 |      share     p50     p99';
  return [`${head}   (minutes; share of its lane over its weight’s; ours | plain priority)`, ...lines].join(
    '\n',
  );
}

/** How much of its lane's claims a project had, over its weight's part of the lane: 1 is as its weight says. */
function shareOf(day: Day, project: number, waits: readonly Wait[]): string {
  const own = day.projects.find(({ id }) => id === project);
  const lane = day.projects.filter(({ skill }) => skill === own?.skill);
  const ids = new Set(lane.map(({ id }) => id));
  const given = waits.filter((wait) => wait.given && ids.has(wait.project));
  const part = given.filter((wait) => wait.project === project).length / given.length;
  const ideal = (own?.weight ?? 0) / lane.reduce((sum, { weight }) => sum + weight, 0);
  return (part / ideal).toFixed(2);
}

function waitsOf(project: number, waits: readonly Wait[]): string {
  const seconds = waits.filter((wait) => wait.project === project).map((wait) => wait.seconds);
  return [0.5, 0.99].map((share) => minutes(percentile(seconds, share)).padStart(7)).join(' ');
}
