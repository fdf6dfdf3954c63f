// @once
import { expect, test } from 'vitest';
import { setExpertSkill } from '../../../src/services/access/people.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { watchGolds } from '../../../src/services/quality/gold/health.js';
import { applyEffects } from '../../../src/services/quality/pausing/effects.js';
import { PAUSE_POLICY } from '../../../src/services/quality/pausing/policy.js';
import { keepScores } from '../../../src/services/quality/scores/keep.js';
import { watchExperts } from '../../../src/services/quality/watching/watch-experts.js';
import { flagTask } from '../../../src/services/routing/lease.js';
import { oneOf, type Random, randomOf } from '../../soak/random.js';
import { useTestDb } from '../../support/db.js';
import {
  at,
  CHOICES,
  type Expert,
  makeBatch,
  makeExpert,
  makeWorld,
  type World,
} from '../../support/factories.js';
import { makeGolds, setGoldRate } from '../../support/golds.js';
import { expectRulesHold } from '../../support/rules.js';
import { restoreChance } from '../../support/serving.js';
import { claim, submit } from '../../support/work.js';

// A season of a small fleet through the database: claims give gold, submits grade it, the jobs judge. All are newcomers.
const t = useTestDb();

type Choice = (typeof CHOICES)[number];
const GOLDS = 80;
const KNOWN_SHARE = 0.95;
const TASKS = 120;
/** Just below one half, so that fewer claims do; rates that follow results have tests of their own. */
const GOLD_RATE = 0.49;
/** Claims of each expert; those at .50 go on until their pause is in effect. */
const ROUNDS = 48;
const ROUNDS_MAX = 150;
/** What results decide is in effect by then, also of who answers no more (decision 64). */
const EFFECT_SECONDS_MAX = 61 * 86_400;
/** The promise is about so many gold. */
const GOLD_MAX = 60;
const JOBS_EVERY = 8;
/** What decides who is right when; given gold, tasks and times differ from run to run. */
const SEED = 2;

interface Member extends Expert {
  readonly kind: 'HONEST' | 'RING' | 'MEMORISER';
  readonly accuracy: number;
  /** Whether they are right on the gold that they meet, in its order: their own, whatever gold it is and whoever else there is. */
  readonly onGold: Random;
  readonly onTasks: Random;
  golds: number;
}

const KINDS = [
  ...[0.5, 0.5, 0.5, 0.85, 0.85, 0.85].map((accuracy) => ({ kind: 'HONEST' as const, accuracy })),
  ...[0.55, 0.55].map((accuracy) => ({ kind: 'RING' as const, accuracy })),
  ...[0.95, 0.95, 0.95].map((accuracy) => ({ kind: 'HONEST' as const, accuracy })),
  { kind: 'MEMORISER' as const, accuracy: 0.6 },
];

async function makeMember(world: World, index: number): Promise<Member> {
  const expert = await makeExpert(t.database, world, []);
  const change = { expertId: expert.expertId, skillId: world.skillId, status: 'PROBATION' } as const;
  await setExpertSkill(t.database, world.operator, { ...change, qualityMean: null, qualityLower: null });
  await setGoldRate(t.admin, { tenantId: world.tenantId, expertId: expert.expertId }, GOLD_RATE);
  const streams = { onGold: randomOf(SEED + index), onTasks: randomOf(SEED + 100 + index) };
  return { ...expert, ...at(KINDS, index), ...streams, golds: 0 };
}

/** How the fleet answers; what is right, and which gold the memoriser knows. */
class Fleet {
  readonly #truths = new Map<bigint, Choice>();
  readonly #ring = new Map<bigint, Choice>();
  readonly golds: ReadonlySet<bigint>;
  readonly known = new Set<bigint>();

  constructor(golds: readonly bigint[], keys: readonly Choice[]) {
    this.golds = new Set(golds);
    for (const [n, gold] of golds.entries()) {
      this.#truths.set(gold, at(keys, n));
      if (n < KNOWN_SHARE * golds.length) {
        this.known.add(gold);
      }
    }
  }

  answer(member: Member, taskId: bigint): { choice: Choice; seconds: number } {
    const random = this.golds.has(taskId) ? member.onGold : member.onTasks;
    const truth = this.#truths.get(taskId) ?? oneOf(random, CHOICES);
    this.#truths.set(taskId, truth);
    const isRight = random() < member.accuracy;
    const wrong = oneOf(
      random,
      CHOICES.filter((choice) => choice !== truth),
    );
    const seconds = 20 + 20 * random();
    if (member.kind === 'MEMORISER' && this.known.has(taskId)) {
      return { choice: truth, seconds: seconds / 4 };
    }
    const own = isRight ? truth : wrong;
    return { choice: member.kind === 'RING' ? this.#shared(taskId, own) : own, seconds };
  }

  /** What the first of the ring answered. */
  #shared(taskId: bigint, own: Choice): Choice {
    const shared = this.#ring.get(taskId) ?? own;
    this.#ring.set(taskId, shared);
    return shared;
  }
}

async function runJobs(): Promise<void> {
  while ((await keepScores(t.database, 50)) === 50);
  await applyEffects(t.database, 100);
  await watchGolds(t.database, 100);
  while (await watchExperts(t.database));
  while ((await keepScores(t.database, 50)) === 50);
}

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

/** What each is given, who all claim at once; nothing of who is given nothing. */
async function given(working: readonly Member[]) {
  const claimed = await Promise.all(working.map((member) => claim(t.database, member)));
  return claimed.flatMap((one, index) =>
    'empty' in one ? [] : [{ member: at(working, index), held: one.held }],
  );
}

/**
 * They answer in the order in which they are done. Nobody decides what newcomers alone have answered, but says that it cannot be
 * answered: what an adjudicator's errors do to others is no matter of gold, and hangs on who happens to be taken for strong when.
 */
async function round(working: readonly Member[], fleet: Fleet): Promise<void> {
  const all = await given(working);
  const decisions = new Set(
    (await rows('select task_id from adjudications', [])).map(({ task_id }) => BigInt(task_id)),
  );
  for (const { member, held } of all.filter((one) => decisions.has(one.held.taskId))) {
    const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
    await flagTask(t.database, member.viewer, { ...lease, reason: 'OTHER' });
  }
  const answers = all
    .filter(({ held }) => !decisions.has(held.taskId))
    .map((one) => ({ ...one, ...fleet.answer(one.member, one.held.taskId) }));
  let passed = 0;
  for (const { member, held, choice, seconds } of answers.sort((one, other) => one.seconds - other.seconds)) {
    member.golds += fleet.golds.has(held.taskId) ? 1 : 0;
    await t.advance(seconds - passed);
    passed = seconds;
    await submit(t.database, member, { ...held, choice });
  }
}

/** Lets everybody work so long, and those at .50 until they are given nothing more. */
async function play(members: readonly Member[], fleet: Fleet): Promise<void> {
  for (let n = 1; n <= ROUNDS_MAX; n++) {
    const paused = await pausedOf(members);
    const working = members.filter((member) =>
      n <= ROUNDS ? true : member.accuracy === 0.5 && !paused.has(member),
    );
    if (working.length === 0) {
      break;
    }
    await round(working, fleet);
    if (n % JOBS_EVERY === 0) {
      await runJobs();
    }
  }
  await t.advance(EFFECT_SECONDS_MAX);
  await runJobs();
}

/** Who is paused by results, in effect. */
async function pausedOf(members: readonly Member[]): Promise<Set<Member>> {
  const found = await rows(
    `select expert_id from pauses where paused_by is null and expert_id = any ($1::bigint[])`,
    [members.map(({ expertId }) => String(expertId))],
  );
  const ids = new Set(found.map(({ expert_id }) => BigInt(expert_id)));
  return new Set(members.filter(({ expertId }) => ids.has(expertId)));
}

test('of a fleet of newcomers the bad are paused, the good are not, a ring does not rise, and who knows gold is found with it', async () => {
  await restoreChance(t.admin);
  const world = await makeWorld(t.database, { experts: 0, tasks: 0, project: { leaseSeconds: 3600 } });
  const { projectId, operator, tenantId } = world;
  await setRedundancy(t.database, operator, {
    projectId,
    policy: { kind: 'FIXED', answers: 6 },
    isCritical: false,
  });
  await makeBatch(t.database, world, { projectId, tasks: TASKS });
  const keys = Array.from({ length: GOLDS }, (_, n) => at(CHOICES, n % CHOICES.length));
  const golds = await makeGolds(t.database, world, { keys });
  const members: Member[] = [];
  for (const index of KINDS.keys()) {
    members.push(await makeMember(world, index));
  }
  const fleet = new Fleet(golds, keys);
  await play(members, fleet);

  const paused = await pausedOf(members);
  const accuracies = (of: readonly Member[]) => of.map(({ kind, accuracy }) => `${kind} ${accuracy}`);
  const honest = members.filter(({ kind }) => kind === 'HONEST');
  const good = honest.filter(({ accuracy }) => accuracy >= 0.85);
  expect(accuracies(honest.filter((member) => paused.has(member)))).toEqual([
    'HONEST 0.5',
    'HONEST 0.5',
    'HONEST 0.5',
  ]);
  expect(Math.max(...[...paused].map((member) => member.golds))).toBeLessThanOrEqual(GOLD_MAX);

  const skills = await rows(
    'select expert_id, status, quality_lower from expert_skills where tenant_id = $1',
    [tenantId],
  );
  const skillOf = ({ expertId }: Member) => skills.find(({ expert_id }) => BigInt(expert_id) === expertId);
  expect(good.map((member) => skillOf(member).status)).toEqual(good.map(() => 'ACTIVE'));
  for (const member of members.filter(({ kind }) => kind === 'RING')) {
    expect(skillOf(member).quality_lower).toBeLessThan(PAUSE_POLICY.bar);
  }

  const found = await rows('select kind, experts from gold_findings where tenant_id = $1', [tenantId]);
  const memberOf = (id: string) => members.find(({ expertId }) => expertId === BigInt(id));
  const named = (kind: string) =>
    found
      .filter((one) => one.kind === kind)
      .flatMap(({ experts }) => experts.map((id: string) => memberOf(id)?.kind));
  expect(named('QUICK_ON_GOLD')).toEqual(['MEMORISER']);
  expect(named('SLOW_ON_GOLD')).toEqual([]);

  const leaked = await rows(`select task_id from golds where tenant_id = $1 and reason = 'LEAKED'`, [
    tenantId,
  ]);
  const ended = leaked.map(({ task_id }) => BigInt(task_id));
  expect(ended.length).toBeGreaterThan(8);
  expect(ended.filter((gold) => !fleet.known.has(gold))).toEqual([]);
  await expectRulesHold(t.database);
}, 120_000);
