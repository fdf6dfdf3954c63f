import { describe, expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld, type WorldOptions } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';
import { linesOf, play } from '../support/scenario.js';

// The life of a lease, as tables. Three experts; the leases last 60 seconds.
const t = useTestDb();

/** A scenario on a world of its own: `scenario('title', options)` and the table. */
const scenario =
  (title: string, options: WorldOptions = {}) =>
  (parts: TemplateStringsArray) =>
    test(title, async () => {
      const world = await makeWorld(t.database, { experts: 3, ...options });
      const table = parts.join('');
      expect((await play(t, world, table)).split('\n')).toEqual(linesOf(table));
      await expectRulesHold(t.database);
    });

const redundant = (redundancy: number, tasks = 1): WorldOptions => ({ tasks, project: { redundancy } });

describe('claim and submit', () => {
  scenario('one after the other', { tasks: 2 })`
    ada claims       -> task 1, epoch 1
    ada claims       -> task 1, epoch 1
    bob claims       -> task 2, epoch 1
    cyd claims       -> NO_OPEN_TASK
    ada submits yes  -> OK
    ada submits yes  -> OK
    ada submits no   -> ALREADY_SUBMITTED
    ada claims       -> NO_OPEN_TASK
  `;
  scenario('a late submit is refused, and so is one under an older epoch')`
    ada   claims              -> task 1, epoch 1
    clock +60s
    ada   submits yes         -> LEASE_EXPIRED, reclaimable
    bob   claims              -> task 1, epoch 1
    ada   submits yes         -> LEASE_EXPIRED, taken
    clock +60s
    ada   claims              -> task 1, epoch 2
    ada   submits yes epoch 1 -> STALE_LEASE, epoch 2
    ada   submits yes epoch 2 -> OK
    ada   submits yes epoch 1 -> ALREADY_SUBMITTED
    bob   submits yes         -> LEASE_EXPIRED, taken
  `;
  scenario('another’s assignment does not exist')`
    ada claims              -> task 1, epoch 1
    bob submits yes of ada  -> ASSIGNMENT_NOT_FOUND
    bob beats 0 of ada      -> ASSIGNMENT_NOT_FOUND
    bob releases of ada     -> ASSIGNMENT_NOT_FOUND
    bob flags of ada        -> ASSIGNMENT_NOT_FOUND
    bob reclaims of ada     -> ASSIGNMENT_NOT_FOUND
    ada submits yes         -> OK
  `;
});

describe('heartbeat', () => {
  scenario('extends for four leases in all, then no more')`
    ada   claims          -> task 1, epoch 1
    clock +59s
    ada   beats 0         -> 60s
    clock +59s
    ada   beats 0         -> 60s
    clock +59s
    ada   beats 0         -> 60s
    clock +59s
    ada   beats 0         -> 4s, not extended
    clock +4s
    ada   beats 0         -> LEASE_EXPIRED, reclaimable
  `;
  scenario('extends within ten minutes of what a person did, not after')`
    ada   claims          -> task 1, epoch 1
    clock +30s
    ada   beats 601       -> 30s, not extended
    ada   beats 600       -> 60s
  `;
  scenario('does not extend for a paused expert, whose lease stays as it is')`
    ada      claims       -> task 1, epoch 1
    operator pauses ada   -> OK
    clock    +30s
    ada      beats 0      -> 30s, not extended
    ada      claims       -> task 1, epoch 1
    operator resumes ada  -> OK
    ada      beats 0      -> 60s
  `;
  scenario('does not extend in a project that finishes, and is refused in one that stopped')`
    ada      claims       -> task 1, epoch 1
    operator finishes     -> OK
    clock    +30s
    ada      beats 0      -> 30s, not extended
    operator stops        -> OK
    ada      beats 0      -> PROJECT_CANCELLED
    operator finishes     -> ALREADY_STOPPED
  `;
  scenario('under another epoch than the present one changes nothing')`
    ada   claims          -> task 1, epoch 1
    clock +60s
    ada   claims          -> task 1, epoch 2
    clock +30s
    ada   beats 0 epoch 1 -> STALE_LEASE, epoch 2
    ada   beats 0 epoch 3 -> STALE_LEASE, epoch 2
    clock +30s
    ada   beats 0         -> LEASE_EXPIRED, reclaimable
  `;
  scenario('after the end of any kind says which')`
    ada claims            -> task 1, epoch 1
    ada submits yes       -> OK
    ada beats 0           -> ALREADY_SUBMITTED
    ada releases          -> ALREADY_SUBMITTED
    ada flags             -> ALREADY_SUBMITTED
    ada reclaims          -> ALREADY_SUBMITTED
  `;
});

describe('reclaim', () => {
  scenario('while it is held answers what is held')`
    ada   claims    -> task 1, epoch 1
    ada   reclaims  -> task 1, epoch 1
    ada   submits yes -> OK
  `;
  scenario('takes a free slot back at the next epoch')`
    ada   claims    -> task 1, epoch 1
    clock +60s
    ada   reclaims  -> task 1, epoch 2
  `;
  scenario('of what was given back is never answered with it, though nobody else has it')`
    ada   claims      -> task 1, epoch 1
    ada   releases    -> OK
    ada   releases    -> OK
    ada   submits yes -> LEASE_EXPIRED, taken
    ada   reclaims    -> SLOT_TAKEN
    ada   claims      -> task 1, epoch 2
  `;
  scenario('of a slot that somebody else holds or has answered')`
    ada   claims      -> task 1, epoch 1
    clock +60s
    bob   claims      -> task 1, epoch 1
    ada   reclaims    -> SLOT_TAKEN
    bob   submits yes -> OK
    ada   reclaims    -> SLOT_TAKEN
  `;
  scenario('of a slot whose next holder has let it run out, before anybody has marked that')`
    ada   claims      -> task 1, epoch 1
    clock +60s
    bob   claims      -> task 1, epoch 1
    clock +60s
    ada   submits yes -> LEASE_EXPIRED, reclaimable
    ada   reclaims    -> task 1, epoch 2
    bob   reclaims    -> SLOT_TAKEN
    ada   submits yes -> OK
  `;
  scenario('while another task is held', { tasks: 2 })`
    ada   claims           -> task 1, epoch 1
    ada   releases         -> OK
    ada   claims           -> task 2, epoch 1
    ada   reclaims task 1  -> HOLDS_ANOTHER
    ada   submits yes      -> OK
    ada   reclaims task 1  -> SLOT_TAKEN
  `;
  scenario('of an expert who was paused')`
    ada      claims      -> task 1, epoch 1
    clock    +60s
    operator pauses ada  -> OK
    ada      submits yes -> LEASE_EXPIRED, taken
    ada      reclaims    -> NOT_QUALIFIED
    operator resumes ada -> OK
    ada      reclaims    -> task 1, epoch 2
  `;
  scenario('in a project that was cancelled', { tasks: 2 })`
    ada      claims      -> task 1, epoch 1
    bob      claims      -> task 2, epoch 1
    bob      releases    -> OK
    operator finishes    -> OK
    clock    +60s
    ada      submits yes -> LEASE_EXPIRED, taken
    ada      reclaims    -> PROJECT_CANCELLED
    bob      reclaims    -> PROJECT_CANCELLED
  `;
  scenario('of what was flagged')`
    ada claims    -> task 1, epoch 1
    ada flags     -> OK
    ada reclaims  -> ALREADY_FLAGGED
  `;
});

describe('release', () => {
  scenario('gives the task to the next who asks, and to oneself last', { tasks: 2 })`
    ada claims    -> task 1, epoch 1
    ada releases  -> OK
    ada releases  -> OK
    ada claims    -> task 2, epoch 1
    bob claims    -> task 1, epoch 1
    bob releases  -> OK
    ada releases  -> OK
    ada claims    -> task 1, epoch 2
  `;
  scenario('after the end of the lease changes nothing')`
    ada   claims    -> task 1, epoch 1
    clock +60s
    ada   releases  -> LEASE_EXPIRED, reclaimable
    bob   claims    -> task 1, epoch 1
    ada   releases  -> LEASE_EXPIRED, taken
  `;
});

describe('flag', () => {
  scenario('closes the task once two experts agree, and says so again when asked again')`
    ada claims  -> task 1, epoch 1
    ada flags   -> OK
    ada claims  -> ALL_ANSWERED_BY_YOU
    bob claims  -> task 1, epoch 1
    bob flags   -> closed
    bob flags   -> closed
    cyd claims  -> NO_OPEN_TASK
  `;
  scenario('does not stand in the way of an answer')`
    ada claims      -> task 1, epoch 1
    ada flags       -> OK
    bob claims      -> task 1, epoch 1
    bob submits yes -> OK
    cyd claims      -> NO_OPEN_TASK
  `;
  scenario('leaves a lease that is still held its answer', redundant(3))`
    ada claims      -> task 1, epoch 1
    bob claims      -> task 1, epoch 1
    cyd claims      -> task 1, epoch 1
    ada flags       -> OK
    bob flags       -> closed
    cyd submits yes -> OK
    cyd claims      -> NO_OPEN_TASK
  `;
  scenario('and a lease that lapses after the quorum do not open it again', redundant(3))`
    ada   claims      -> task 1, epoch 1
    bob   claims      -> task 1, epoch 1
    cyd   claims      -> task 1, epoch 1
    ada   flags       -> OK
    bob   flags       -> closed
    clock +60s
    cyd   submits yes -> LEASE_EXPIRED, taken
    cyd   reclaims    -> SLOT_TAKEN
    cyd   claims      -> NO_OPEN_TASK
  `;
});
