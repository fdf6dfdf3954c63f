import type pg from 'pg';
import { expect, test } from 'vitest';
import { randomOf } from '../../src/services/platform/random.js';
import { flagTask, reclaimAssignment, releaseAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { at, makeWorld, type World } from '../support/factories.js';
import { makeGolds, setGoldRate } from '../support/golds.js';
import { expectRulesHold } from '../support/rules.js';
import { claimRequest, connectApp, serve } from '../support/serving.js';
import { claim, outcome, submit } from '../support/work.js';

// Rule 10 for experts who compare: whatever they do with what they are given, and whichever of them is given it next, gold goes
// the way that other work goes. One script is played twice: once what is begun is gold at places of its own, once nothing is.
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
] as const;

interface Step {
  readonly act: (typeof ACTS)[number];
  readonly who: number;
  /** Whether what is begun here is gold, where there is gold. */
  readonly isGold: boolean;
}

function scriptOf(seed: number): Step[] {
  const random = randomOf(seed, 'script');
  return Array.from({ length: 70 }, () => ({
    act: at(ACTS, Math.floor(random() * ACTS.length)),
    who: Math.floor(random() * 3),
    isGold: random() < 0.6,
  }));
}

interface Held {
  readonly id: bigint;
  readonly epoch: number;
}

/** One play: the last that each expert was given, and the names of tasks, by the order in which they first came to anybody. */
interface Play {
  readonly world: World;
  readonly client: pg.Client;
  readonly held: Map<number, Held>;
  readonly names: Map<bigint, string>;
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

async function act(play: Play, { act: what, who }: Step): Promise<string> {
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

/** What everybody is answered, step by step, and how many tasks of gold there were among what was given. */
async function play(script: readonly Step[], redundancy: number, hasGold: boolean) {
  const project = { redundancy, flagQuorum: 2 };
  const world = await makeWorld(t.database, { tasks: script.length, experts: 3, project });
  const keys = Array.from({ length: script.length }, () => 'yes' as const);
  await makeGolds(t.database, world, { keys });
  // Worn out by one round: of a task that more experts have than it wants nothing can hide that it is gold.
  await t.admin.query('update golds set exposures_max = $2 where tenant_id = $1', [
    world.tenantId,
    redundancy,
  ]);
  const client = await connectApp(t);
  const one: Play = { world, client, held: new Map(), names: new Map() };
  const seen: string[] = [];
  for (const step of script) {
    const rate = hasGold && step.isGold ? 0.25 : 0;
    for (const { expertId } of world.experts) {
      await setGoldRate(t.admin, { ...world, expertId }, rate);
    }
    seen.push(`${seen.length}: ${step.act} ${step.who}: ${await act(one, step)}`);
  }
  await client.end();
  const works = new Set(world.taskIds);
  return { seen, golds: [...one.names.keys()].filter((id) => !works.has(id)).length };
}

test.each([1, 2, 3])(
  'who compares cannot tell where gold went from where work of %i answers goes',
  async (redundancy) => {
    const counts: number[] = [];
    for (const seed of [1, 2, 3]) {
      const script = scriptOf(10 * redundancy + seed);
      const [plain, golden] = [await play(script, redundancy, false), await play(script, redundancy, true)];
      expect(golden.seen).toEqual(plain.seen);
      expect(plain.golds).toBe(0);
      counts.push(golden.golds);
    }
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(5);
    await expectRulesHold(t.database);
  },
);
