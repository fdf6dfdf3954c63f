import { afterEach, expect, test } from 'vitest';
import { createSessionLock, type SessionLock } from '../../src/jobs/session-lock.js';
import { useTestDb } from '../support/db.js';

const ctx = useTestDb();
const locks: SessionLock[] = [];
afterEach(async () => {
  await Promise.all(locks.splice(0).map((lock) => lock.release()));
});

function lock(key = 99): SessionLock {
  const made = createSessionLock({ url: ctx.url, name: 'touchstone_test_lock', key });
  locks.push(made);
  return made;
}

test('one holds it at a time, and the next has it as soon as it is released', async () => {
  const [a, b] = [lock(), lock()];
  expect(await a.acquire()).not.toBeNull();
  expect(await a.acquire()).not.toBeNull();
  expect(await b.acquire()).toBeNull();
  expect(await lock(98).acquire()).not.toBeNull();
  await a.release();
  await expect.poll(async () => (await b.acquire()) !== null).toBe(true);
  expect(await a.acquire()).toBeNull();
});

test('a holder that hangs loses it within seconds, and knows when it comes back', async () => {
  const [hung, next] = [lock(), lock()];
  expect(await hung.acquire()).not.toBeNull();
  await expect.poll(async () => (await next.acquire()) !== null, { interval: 250 }).toBe(true);
  expect(await hung.acquire()).toBeNull();
});
