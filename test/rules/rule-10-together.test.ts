// @long
import type pg from 'pg';
import { expect, test } from 'vitest';
import { withSystem } from '../../src/services/platform/database.js';
import { randomOf } from '../../src/services/platform/random.js';
import { bringBack } from '../../src/services/quality/gold/out-of-sight.sql.js';
import { flagTask, reclaimAssignment, releaseAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { at, makeBatch, makeWorld, type World } from '../support/factories.js';
import { makeGolds, setGoldRate } from '../support/golds.js';
import { fireAlarms } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import { claimRequest, connectApp, serve } from '../support/serving.js';
import { claim, outcome, submit } from '../support/work.js';

// Rule 10 for experts who compare: whatever they do with what they are given, and whichever of them is given it next, gold goes
// the way that other work goes. One script is played twice: once what is begun is gold at places of its own, once nothing is.
// Where fewer tasks wait than are asked for, the task behind a gold must not be seen, and comes back as a task that was uploaded
// comes: the play without gold is uploaded as many at the same steps.
// (Here chance draws 0 always: whoever has a rate is given gold where they begin a task.)
const t = useTestDb();

const ACTS = [
  'claim',
  'claim',
  'claim',
  'together',
  'submit',
  'submit',
  'release',
  'lapse',
  'reclaim',
  'flag',
  'add',
  'tick',
] as const;

interface Step {
  readonly act: (typeof ACTS)[number];
  readonly who: number;
  /** Whether what is begun here is gold, where there is gold. */
  readonly isGold: boolean;
}

const STEPS = 70;

function scriptOf(seed: number): Step[] {
  const random = randomOf(seed, 'script');
  return Array.from({ length: STEPS }, () => ({
    act: at(ACTS, Math.floor(random() * ACTS.length)),
    who: Math.floor(random() * 3),
    isGold: random() < 0.6,
  }));
}

interface Held {
  readonly id: bigint;
  readonly epoch: number;
}

/** Places in the queue of the tasks that came back, by the step at which they did. */
type Arrivals = ReadonlyMap<number, readonly string[]>;

/** One play: the last that each expert was given, and the names of tasks, by the order in which they first came to anybody. */
interface Play {
  readonly world: World;
  readonly client: pg.Client;
  readonly held: Map<number, Held>;
  readonly names: Map<bigint, string>;
  /** What is to come, of a play without gold. */
  readonly arrivals: Arrivals | null;
  /** What came, of one with gold. */
  readonly came: Map<number, readonly string[]>;
}

function given({ held, names }: Play, who: number, lease: Held & { taskId: bigint }): string {
  held.set(who, lease);
  const name = names.get(lease.taskId) ?? `task ${names.size}`;
  names.set(lease.taskId, name);
  return `${name} at ${lease.epoch}`;
}

async function claimOne(play: Play, who: number): Promise<string> {
  const result = await claim(t.database, at(play.world.experts, who));
  return 'empty' in result ? result.empty.reason : given(play, who, result.held);
}

/** Two claims that come at the same moment: one batch. */
async function claimTwo(play: Play, who: number): Promise<string> {
  const pair = [who, (who + 1) % 3];
  const { claims } = await serve(play.client, play.world.tenantId, {
    claims: pair.map((n) => claimRequest(at(play.world.experts, n))),
  });
  const said = claims.map(({ outcome: code, assignment }, n) =>
    assignment === undefined
      ? code
      : given(play, at(pair, n), {
          id: BigInt(assignment.id),
          epoch: assignment.epoch,
          taskId: BigInt(assignment.taskId),
        }),
  );
  return said.join(', ');
}

/** Tasks that were out of sight come back; where nothing is gold, as many are uploaded to where those came. */
async function tick(play: Play, step: number): Promise<void> {
  const { tenantId, projectId } = play.world;
  await t.advance(9);
  if (play.arrivals === null) {
    const hidden = await tagsOf('phase = 3', [tenantId]);
    await withSystem(t.database, (tx) => bringBack(tx, { tenantId, projectId }));
    const back = await tagsOf('phase = 0 and task_id = any ($2)', [tenantId, hidden.map(({ id }) => id)]);
    play.came.set(
      step,
      back.map(({ tag }) => tag),
    );
    return;
  }
  const tags = play.arrivals.get(step) ?? [];
  if (tags.length > 0) {
    const flow = await t.admin.query('select last_tag from flows where project_id = $1', [projectId]);
    const { taskIds } = await makeBatch(t.database, play.world, { projectId, tasks: tags.length });
    await t.admin.query(
      'update ready r set tag = n.tag from unnest($1::bigint[], $2::bigint[]) as n(id, tag) where r.task_id = n.id',
      [taskIds, tags],
    );
    await t.admin.query('update flows set last_tag = $2 where project_id = $1', [
      projectId,
      flow.rows[0].last_tag,
    ]);
    const marks = 'select app.lower_marks(tenant_id, lane_id, tag) from ready where task_id = any ($1)';
    await t.admin.query(marks, [taskIds]);
  }
}

async function tagsOf(what: string, values: unknown[]): Promise<{ id: string; tag: string }[]> {
  const text = `select task_id as id, tag from ready where tenant_id = $1 and ${what} order by tag, task_id`;
  return (await t.admin.query(text, values)).rows;
}

async function act(play: Play, { act: what, who }: Step, step: number): Promise<string> {
  const expert = at(play.world.experts, who);
  const held = play.held.get(who);
  if (what === 'claim') {
    return claimOne(play, who);
  }
  if (what === 'together') {
    return claimTwo(play, who);
  }
  if (what === 'lapse') {
    await t.advance(61);
    await fireAlarms(t.database);
    return '';
  }
  if (what === 'tick') {
    await tick(play, step);
    return '';
  }
  if (what === 'add') {
    await makeBatch(t.database, play.world, { projectId: play.world.projectId, tasks: 1 });
    return '';
  }
  if (held === undefined) {
    return '';
  }
  const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
  if (what === 'reclaim') {
    return outcome(
      reclaimAssignment(t.database, expert.viewer, lease).then((again) => play.held.set(who, again)),
    );
  }
  const done = {
    submit: () => submit(t.database, expert, held),
    release: () => releaseAssignment(t.database, expert.viewer, lease),
    flag: () => flagTask(t.database, expert.viewer, { ...lease, reason: 'OTHER' }),
  };
  return outcome(done[what]());
}

/** What is played: a script, for answers and tasks so many. */
interface Part {
  readonly script: readonly Step[];
  readonly redundancy: number;
  readonly tasks: number;
}

/** What everybody is answered, step by step, how many tasks of gold there were among what was given, and what came back. */
async function play({ script, redundancy, tasks }: Part, arrivals: Arrivals | null) {
  const project = { redundancy, flagQuorum: 2 };
  const world = await makeWorld(t.database, { tasks, experts: 3, project });
  const keys = Array.from({ length: STEPS }, () => 'yes' as const);
  const golds = await makeGolds(t.database, world, { keys });
  // Worn out by one round: of a task that more experts have than it wants nothing can hide that it is gold.
  await t.admin.query('update golds set exposures_max = $2 where tenant_id = $1', [
    world.tenantId,
    redundancy,
  ]);
  const client = await connectApp(t);
  const one: Play = { world, client, held: new Map(), names: new Map(), arrivals, came: new Map() };
  const seen: string[] = [];
  for (const { expertId } of world.experts) {
    await setGoldRate(t.admin, { ...world, expertId }, 0);
  }
  const rate = 'update gold_rates set rate = $2 where tenant_id = $1 and rate <> $2';
  for (const step of script) {
    await t.admin.query(rate, [world.tenantId, arrivals === null && step.isGold ? 0.25 : 0]);
    seen.push(`${seen.length}: ${step.act} ${step.who}: ${await act(one, step, seen.length)}`);
  }
  await client.end();
  return { seen, golds: golds.filter((id) => one.names.has(id)).length, came: one.came };
}

test.each([1, 2, 3])(
  'who compares cannot tell where gold went from where work of %i answers goes',
  async (redundancy) => {
    const counts: number[] = [];
    let came = 0;
    for (const tasks of [1, 2, 3, STEPS]) {
      const part = { script: scriptOf(10 * redundancy + tasks), redundancy, tasks };
      const golden = await play(part, null);
      const plain = await play(part, golden.came);
      expect(golden.seen).toEqual(plain.seen);
      expect(plain.golds).toBe(0);
      counts.push(golden.golds);
      came += [...golden.came.values()].flat().length;
    }
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(5);
    expect(came).toBeGreaterThan(0);
    await expectRulesHold(t.database);
  },
);
