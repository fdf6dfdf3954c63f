import { expect } from 'vitest';
import { cancelProject } from '../../src/services/projects/projects.js';
import type { ClaimResult } from '../../src/services/routing/claim.js';
import {
  flagTask,
  heartbeat,
  reclaimAssignment,
  releaseAssignment,
} from '../../src/services/routing/lease.js';
import type { Receipt } from '../../src/services/routing/submit.js';
import type { TestDb } from '../support/db.js';
import { CHOICES, type Expert, makeBatch, makeProject, makeWorld, type World } from '../support/factories.js';
import { fireAlarms } from '../support/look.js';
import { expectRulesHold, stampAll } from '../support/rules.js';
import { claim, outcome, submit } from '../support/work.js';
import { Gate } from './gate.js';
import { checkHistory } from './history.js';
import { between, oneOf, type Random, randomOf } from './random.js';
import { untilKnown } from './unknown.js';

/** What the clients of one seed were told, against which the database is held at the end. */
export interface Shift {
  readonly t: TestDb;
  readonly world: World;
  readonly random: Random;
  readonly gate: Gate;
  /** Every receipt, by assignment: what was acknowledged must be stored as it was acknowledged. */
  readonly receipts: Map<bigint, Receipt>;
  working: number;
}

const OPERATIONS_AN_EXPERT = 14;
const DRAIN_ROUNDS = 200;

/**
 * One seed: experts who work, vanish, repeat themselves and take each other's tasks; a clock that jumps; alarms, sequencers
 * and a cancel beside them; connections cut at any moment. Then everybody works to the end, and everything is checked.
 */
export async function runShift(t: TestDb, seed: number): Promise<void> {
  const random = randomOf(seed);
  // Few tasks that want many: everybody is at the same rows.
  const experts = between(random, 4, 8);
  const redundancy = between(random, 1, 4);
  const world = await makeWorld(t.database, {
    experts,
    tasks: between(random, 2, 6),
    project: { redundancy, weight: between(random, 1, 40) },
  });
  const doomed = await makeProject(t.database, world, { redundancy });
  await makeBatch(t.database, world, { projectId: doomed, tasks: between(random, 2, 5) });
  const shift: Shift = { t, world, random, gate: new Gate(), receipts: new Map(), working: experts };
  await Promise.all([
    ...world.experts.map((expert) => workAtRandom(shift, expert)),
    disturb(shift),
    stop(shift, doomed),
  ]);
  await drain(shift);
  await checkHistory(shift);
  await expectRulesHold(t.database);
}

type Held = { readonly id: bigint; readonly epoch: number };
const WHAT_NOW = [
  ...['submit', 'submit', 'submit twice', 'submit twice', 'vanish', 'vanish', 'vanish', 'release', 'release'],
  ...[
    'heartbeat',
    'flag',
    'reclaim an old one',
    'submit an old one',
    'submit an old one',
    'submit an old one',
  ],
] as const;

async function workAtRandom(shift: Shift, expert: Expert): Promise<void> {
  const { gate, random } = shift;
  const known: Held[] = [];
  const flagged = new Set<bigint>();
  for (let n = 0; n < OPERATIONS_AN_EXPERT; n++) {
    const result = await gate.pass(() => claimOnceOrTwice(shift, expert));
    if ('held' in result) {
      known.push(result.held);
    }
    const what = oneOf(random, WHAT_NOW);
    const old = what.endsWith('old one') && known.length > 0 ? oneOf(random, known) : null;
    const held = old ?? ('held' in result ? result.held : null);
    // Flags beyond the first could leave a task that wants three with too few to answer it.
    if (held !== null && !(what === 'flag' && flagged.size > 0)) {
      if (what === 'flag') {
        flagged.add(held.id);
      }
      await gate.pass(() => act(shift, { expert, held, what }));
    }
  }
  shift.working -= 1;
}

/** Some clients send a claim twice: both are given the same, unless a cancel took the first away in between. */
async function claimOnceOrTwice({ t, random, world }: Shift, expert: Expert): Promise<ClaimResult> {
  const ask = () => untilKnown(() => claim(t.database, expert));
  if (random() < 0.6) {
    return ask();
  }
  const [one, other] = await Promise.all([ask(), ask()]);
  const kept = [one, other].filter((result) => 'held' in result && result.held.projectId === world.projectId);
  if (kept.length === 2 && 'held' in one && 'held' in other) {
    expect(`${one.held.id} at ${one.held.epoch}`).toBe(`${other.held.id} at ${other.held.epoch}`);
  }
  return 'held' in one ? one : other;
}

async function act(
  shift: Shift,
  { expert, held, what }: { expert: Expert; held: Held; what: string },
): Promise<void> {
  const { database } = shift.t;
  const { viewer } = expert;
  const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
  const choice = oneOf(shift.random, CHOICES);
  switch (what) {
    case 'submit':
    case 'submit an old one':
      await answer(shift, expert, { ...held, choice });
      return;
    case 'submit twice':
      await Promise.all([
        answer(shift, expert, { ...held, choice }),
        answer(shift, expert, { ...held, choice }),
      ]);
      return;
    case 'release':
      await outcome(untilKnown(() => releaseAssignment(database, viewer, lease)));
      return;
    case 'heartbeat':
      await outcome(
        untilKnown(() => heartbeat(database, viewer, { ...lease, lastActivitySeconds: 0, draft: choice })),
      );
      return;
    case 'reclaim an old one':
      await outcome(untilKnown(() => reclaimAssignment(database, viewer, lease)));
      return;
    case 'flag':
      await outcome(untilKnown(() => flagTask(database, viewer, { ...lease, reason: 'OTHER' })));
  }
}

/** Submits until the outcome is known, and keeps the receipt: a second one must be the first. */
async function answer(
  shift: Shift,
  expert: Expert,
  given: Held & { choice: (typeof CHOICES)[number] },
): Promise<void> {
  await outcome(
    untilKnown(() => submit(shift.t.database, expert, given)).then((receipt) => {
      expect(receipt).toEqual(shift.receipts.get(given.id) ?? receipt);
      shift.receipts.set(given.id, receipt);
    }),
  );
}

/** The rest of the world, until the experts have gone home. */
async function disturb(shift: Shift): Promise<void> {
  const { t, gate, random } = shift;
  while (shift.working > 0) {
    const chance = random();
    if (chance < 0.35) {
      await cutConnections(t, random);
    } else if (chance < 0.55) {
      await gate.alone(() => t.advance(oneOf(random, [5, 61, 61])));
    } else if (chance < 0.8) {
      const runner = () => untilKnown(() => fireAlarms(t.database));
      await gate.pass(() => Promise.all([runner(), runner(), runner()]));
    } else {
      await gate.pass(() => untilKnown(() => stampAll(t.database)));
    }
  }
}

/** Ends some of the connections at this very moment, whatever they are at: before their commit or after it. */
async function cutConnections(t: TestDb, random: Random): Promise<void> {
  await t.admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name in ('touchstone_app', 'touchstone_system') and state = 'active'
       and ('x' || substr(md5(pid::text || $1::text), 1, 8))::bit(32)::bigint % 3 = 0`,
    [random()],
  );
}

async function stop({ t, world, random, gate }: Shift, projectId: bigint): Promise<void> {
  for (let n = between(random, 0, 15); n > 0; n--) {
    await t.admin.query('select 1');
  }
  const policy = oneOf(random, ['STOP', 'FINISH'] as const);
  await gate.pass(() => untilKnown(() => cancelProject(t.database, world.operator, { projectId, policy })));
}

/** Everybody works honestly until nothing is left for anybody. */
async function drain(shift: Shift): Promise<void> {
  const { t, world } = shift;
  await t.advance(300);
  for (let round = 0; round < DRAIN_ROUNDS; round++) {
    const results = await Promise.all(world.experts.map((expert) => claim(t.database, expert)));
    if (results.every((result) => 'empty' in result)) {
      return;
    }
    await Promise.all(
      results.map((result, n) => {
        const expert = world.experts[n];
        return 'held' in result && expert ? answer(shift, expert, { ...result.held, choice: 'yes' }) : null;
      }),
    );
  }
  throw new Error('The queue does not drain.');
}
