import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { beginTelling, holdBack, letGoOfOld } from '../../src/live/held-back.js';

// What is held back, and until when.

/** A stream that says how many chunks went out by each call. */
function calls(): { stream: Duplex; went: number[] } {
  const went: number[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write(_chunk, _encoding, done) {
      went.push(1);
      done();
    },
    writev(chunks, done) {
      went.push(chunks.length);
      done();
    },
  });
  return { stream, went };
}

const send = (stream: Duplex) => {
  holdBack(stream);
  stream.write('x');
};

test('what is written in one turn goes out by one call at its end', async () => {
  const { stream, went } = calls();
  send(stream);
  send(stream);
  expect(went).toEqual([]);
  await nextTurn();
  expect(went).toEqual([2]);
  send(stream);
  await nextTurn();
  expect(went).toEqual([2, 1]);
});

test('while much is told it goes out at the end of the last telling, over as many turns as it takes', async () => {
  const [one, other] = [calls(), calls()];
  const end = beginTelling();
  const endOther = beginTelling();
  send(one.stream);
  await nextTurn();
  send(one.stream);
  send(other.stream);
  await nextTurn();
  await end();
  expect([one.went, other.went]).toEqual([[], []]);
  await endOther();
  expect([one.went, other.went]).toEqual([[2], [1]]);
});

test('nothing is held back for long: a telling that goes on lets go of what is old', async () => {
  const { stream, went } = calls();
  const end = beginTelling();
  send(stream);
  const beganMs = performance.now();
  while (went.length === 0) {
    await nextTurn();
    letGoOfOld();
  }
  const tookMs = performance.now() - beganMs;
  expect(tookMs).toBeGreaterThan(90);
  expect(tookMs).toBeLessThan(3_000);
  send(stream);
  await end();
  expect(went).toEqual([1, 1]);
});

test('many go out by some at a time, what is written to one meanwhile goes with it, and the telling has ended when all are out', async () => {
  const all = Array.from({ length: 450 }, calls);
  const end = beginTelling();
  for (const { stream } of all) {
    send(stream);
  }
  const ended = end();
  const gone = () => all.filter(({ went }) => went.length > 0).length;
  expect(gone()).toBe(200);
  const last = all.at(-1);
  if (last !== undefined) {
    send(last.stream);
  }
  await ended;
  expect(gone()).toBe(450);
  expect(last?.went).toEqual([2]);
});
