import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { beginTelling, holdsBack, letGoOfOld } from '../../src/live/held-back.js';

// What is held back, and until when.

/** Something that is written to, and says how much went out each time. */
function calls(): { write: () => void; went: number[] } {
  const went: number[] = [];
  let held = 0;
  const holder = {
    letGo: () => {
      went.push(held);
      held = 0;
    },
  };
  const write = () => {
    held += 1;
    if (held === 1) {
      holdsBack(holder);
    }
  };
  return { write, went };
}

test('what is written in one turn goes out by one call at its end', async () => {
  const { write, went } = calls();
  write();
  write();
  expect(went).toEqual([]);
  await nextTurn();
  expect(went).toEqual([2]);
  write();
  await nextTurn();
  expect(went).toEqual([2, 1]);
});

test('while much is told it goes out at the end of the last telling, over as many turns as it takes', async () => {
  const [one, other] = [calls(), calls()];
  const end = beginTelling();
  const endOther = beginTelling();
  one.write();
  await nextTurn();
  one.write();
  other.write();
  await nextTurn();
  await end();
  expect([one.went, other.went]).toEqual([[], []]);
  await endOther();
  expect([one.went, other.went]).toEqual([[2], [1]]);
});

test('nothing is held back for long: a telling that goes on lets go of what is old', async () => {
  const { write, went } = calls();
  const end = beginTelling();
  write();
  const beganMs = performance.now();
  while (went.length === 0) {
    await nextTurn();
    letGoOfOld();
  }
  const tookMs = performance.now() - beganMs;
  expect(tookMs).toBeGreaterThan(90);
  expect(tookMs).toBeLessThan(3_000);
  write();
  await end();
  expect(went).toEqual([1, 1]);
});

test('many go out by some at a time, what is written to one meanwhile goes with it, and the telling has ended when all are out', async () => {
  const all = Array.from({ length: 450 }, calls);
  const end = beginTelling();
  for (const { write } of all) {
    write();
  }
  const ended = end();
  const gone = () => all.filter(({ went }) => went.length > 0).length;
  expect(gone()).toBe(200);
  const last = all.at(-1);
  last?.write();
  await ended;
  expect(gone()).toBe(450);
  expect(last?.went).toEqual([2]);
});
