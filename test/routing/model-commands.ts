import fc from 'fast-check';
import { expect } from 'vitest';
import { setExpertStatus } from '../../src/services/access/people.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import {
  flagTask,
  heartbeat,
  reclaimAssignment,
  releaseAssignment,
} from '../../src/services/routing/lease.js';
import type { TestDb } from '../support/db.js';
import { at, type CHOICES, makeBatch, type World } from '../support/factories.js';
import { fireAlarms } from '../support/look.js';
import { atOnce, claim, outcome, submit } from '../support/work.js';
import type { Clerk, Memory } from './clerk.js';

// What can happen, said to the services and to the clerk, and their answers compared. Commands that name a lease may
// name one that is long dead: that is the point.

export interface Real {
  readonly t: TestDb;
  readonly world: World;
}
type Command = fc.AsyncCommand<Clerk, Real>;
type Choice = (typeof CHOICES)[number];

const EXPERTS = 4;
const fcExpert = fc.nat(EXPERTS - 1);
const fcPick = fc.nat(1000);

/** A command in the words of a failure report. */
function command(words: string, run: (clerk: Clerk, real: Real) => Promise<void>): Command {
  return { check: () => true, run, toString: () => words };
}

/** A command about a lease that some expert remembers. */
function about(
  words: string,
  pick: number,
  run: (on: { clerk: Clerk; real: Real; lease: Memory }) => Promise<void>,
): Command {
  return {
    check: (clerk) => clerk.memories.length > 0,
    run: (clerk, real) => run({ clerk, real, lease: at(clerk.memories, pick % clerk.memories.length) }),
    toString: () => `${words} #${pick}`,
  };
}

const expertOf = ({ world }: Real, expert: number) => at(world.experts, expert);
const callOf = (lease: Memory) => ({ assignmentId: lease.id, leaseEpoch: lease.epoch });

/** Claims by these experts at once. What is given must have been to be had; nothing may be left for who got nothing. */
async function claims(clerk: Clerk, real: Real, experts: readonly number[]): Promise<void> {
  const held = experts.map((expert) => clerk.heldBy(expert));
  const results = await atOnce(experts.length, (n) => claim(real.t.database, expertOf(real, at(experts, n))));
  const empty: number[] = [];
  for (const [n, result] of results.entries()) {
    const expert = at(experts, n);
    const before = held[n];
    if ('empty' in result) {
      expect(before).toBeNull();
      empty.push(expert);
      const { reason } = result.empty;
      expect(reason === 'PAUSED').toBe(clerk.paused.has(expert));
    } else if (before) {
      expect(result.held).toMatchObject({ id: before.id, epoch: before.epoch });
    } else {
      clerk.give(expert, result.held);
    }
  }
  expect(empty.map((expert) => clerk.openTo(expert))).toEqual(empty.map(() => []));
}

async function advance(clerk: Clerk, real: Real, seconds: number): Promise<void> {
  clerk.now += seconds;
  await real.t.advance(seconds);
}

const submitTwice = (pick: number, choice: Choice): Command =>
  about(`submit ${choice} twice at once`, pick, async ({ clerk, real, lease }) => {
    const expected = clerk.submit(lease, choice);
    const said = await atOnce(2, () =>
      outcome(submit(real.t.database, expertOf(real, lease.expert), { ...lease, choice })),
    );
    expect(said).toEqual([expected, expected]);
  });

const submitBoth = (pick: number): Command =>
  about('submit two different answers at once', pick, async ({ clerk, real, lease }) => {
    const line = clerk.lineOf(lease.id);
    const live = clerk.refusal(lease) === null;
    const choices = ['yes', 'no'] as const;
    const said = await atOnce(2, (n) =>
      outcome(submit(real.t.database, expertOf(real, lease.expert), { ...lease, choice: at(choices, n) })),
    );
    if (live) {
      expect([...said].sort()).toEqual(['ALREADY_SUBMITTED', 'OK']);
      Object.assign(line, { state: 'SUBMITTED', answer: choices[said.indexOf('OK')] });
    } else {
      expect(said).toEqual(choices.map((choice) => clerk.submit(lease, choice)));
    }
  });

const submitWrongEpoch = (pick: number, off: number): Command =>
  about(`submit ${off} epochs off`, pick, async ({ clerk, real, lease }) => {
    const wrong = { ...lease, epoch: clerk.lineOf(lease.id).epoch + off };
    const expected = clerk.submit(wrong, 'yes');
    const said = await outcome(
      submit(real.t.database, expertOf(real, lease.expert), { ...wrong, choice: 'yes' }),
    );
    expect(said).toBe(expected);
    expect(said).not.toBe('OK');
  });

const beat = (pick: number): Command =>
  about('heartbeat', pick, async ({ clerk, real, lease }) => {
    const expected = clerk.beat(lease);
    const { viewer } = expertOf(real, lease.expert);
    const call = { ...callOf(lease), lastActivitySeconds: 0, draft: 'typed' };
    expect(await outcome(heartbeat(real.t.database, viewer, call))).toBe(expected);
  });

const release = (pick: number): Command =>
  about('release', pick, async ({ clerk, real, lease }) => {
    const expected = clerk.end(lease, 'RELEASED');
    const { viewer } = expertOf(real, lease.expert);
    expect(await outcome(releaseAssignment(real.t.database, viewer, callOf(lease)))).toBe(expected);
  });

const flag = (pick: number): Command =>
  about('flag', pick, async ({ clerk, real, lease }) => {
    const expected = clerk.end(lease, 'FLAGGED');
    const { viewer } = expertOf(real, lease.expert);
    const call = { ...callOf(lease), reason: 'OTHER' } as const;
    expect(await outcome(flagTask(real.t.database, viewer, call))).toBe(expected);
  });

const reclaim = (pick: number): Command =>
  about('reclaim', pick, async ({ clerk, real, lease }) => {
    const expected = clerk.reclaimable(lease);
    const before = clerk.heldBy(lease.expert);
    const { viewer } = expertOf(real, lease.expert);
    const call = reclaimAssignment(real.t.database, viewer, callOf(lease)).then((held) => {
      if (before === null) {
        clerk.give(lease.expert, held);
      } else {
        expect(held).toMatchObject({ id: before.id, epoch: before.epoch });
      }
    });
    expect(await outcome(call)).toBe(expected);
  });

const pause = (expert: number): Command =>
  command(`pause or resume expert ${expert}`, async (clerk, real) => {
    const { operator } = real.world;
    const status = clerk.paused.delete(expert) ? 'ACTIVE' : 'PAUSED';
    if (status === 'PAUSED') {
      clerk.paused.add(expert);
    }
    const { expertId } = expertOf(real, expert);
    await setExpertStatus(real.t.database, operator, { expertId, status });
  });

const enqueue = (wanted: number): Command => ({
  check: (clerk) => !clerk.cancelled,
  async run(clerk, { t, world }) {
    const { taskIds } = await makeBatch(t.database, world, {
      projectId: world.projectId,
      tasks: [{ wanted }],
    });
    clerk.wanted.set(at(taskIds, 0), wanted);
  },
  toString: () => `enqueue a task that wants ${wanted}`,
});

const cancel = (policy: 'STOP' | 'FINISH'): Command => ({
  check: (clerk) => !clerk.cancelled,
  async run(clerk, { t, world }) {
    await fireAlarms(t.database);
    clerk.cancel(policy);
    await cancelProject(t.database, world.operator, { projectId: world.projectId, policy });
  },
  toString: () => `cancel, ${policy}`,
});

/** Every lease ends, tasks are claimed again, and then the old leases speak up: where a missing fence shows. */
const lapseAndRetake = (first: number): Command =>
  command(
    `everything lapses, experts ${first} and ${(first + 1) % EXPERTS} claim, old leases speak up`,
    async (clerk, real) => {
      await advance(clerk, real, 61);
      await claims(clerk, real, [first, (first + 1) % EXPERTS]);
      for (const lease of clerk.memories.filter(
        ({ id, epoch }) => clerk.refusal({ id, epoch }) === 'STALE_LEASE',
      )) {
        const { viewer } = expertOf(real, lease.expert);
        const { database } = real.t;
        const said = [
          await outcome(heartbeat(database, viewer, { ...callOf(lease), lastActivitySeconds: 0 })),
          await outcome(submit(database, expertOf(real, lease.expert), { ...lease, choice: 'no' })),
          await outcome(flagTask(database, viewer, { ...callOf(lease), reason: 'OTHER' })),
          await outcome(releaseAssignment(database, viewer, callOf(lease))),
        ];
        expect(said).toEqual(said.map(() => 'STALE_LEASE'));
      }
    },
  );

const each = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });

/** Everything that can happen, the usual more often than the rest; a cancel ends nearly all, so it is rare. */
export const commands = [
  each(
    8,
    fcExpert.map((expert) => command(`expert ${expert} claims`, (c, r) => claims(c, r, [expert]))),
  ),
  each(6, fc.constant(command('all claim at once', (c, r) => claims(c, r, [0, 1, 2, 3])))),
  each(
    6,
    fc.tuple(fcPick, fc.constantFrom<Choice>('yes', 'no')).map(([pick, word]) => submitTwice(pick, word)),
  ),
  each(4, fcPick.map(submitBoth)),
  each(
    4,
    fc.tuple(fcPick, fc.constantFrom(-1, 1, 7)).map(([pick, off]) => submitWrongEpoch(pick, off)),
  ),
  each(4, fcPick.map(beat)),
  each(4, fcPick.map(release)),
  each(4, fcPick.map(reclaim)),
  each(1, fcPick.map(flag)),
  each(
    6,
    fc.constantFrom(20, 61).map((s) => command(`clock +${s}s`, (c, r) => advance(c, r, s))),
  ),
  each(6, fcExpert.map(lapseAndRetake)),
  each(1, fc.constant(command('alarms fire', async (_clerk, { t }) => void (await fireAlarms(t.database))))),
  each(1, fcExpert.map(pause)),
  each(4, fc.integer({ min: 1, max: 3 }).map(enqueue)),
  each(1, fc.constantFrom<'STOP' | 'FINISH'>('STOP', 'FINISH').map(cancel)),
];
