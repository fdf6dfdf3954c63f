import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { Prisma } from '../../src/generated/prisma/client.js';
import { createSessionLock, type SessionLock } from '../../src/jobs/session-lock.js';
import { run } from '../../src/services/platform/rows.js';
import { useTestDb } from '../support/db.js';

const ctx = useTestDb();
const locks: SessionLock[] = [];
afterEach(async () => {
  await Promise.all(locks.splice(0).map((lock) => lock.release()));
});

function lock(key = 99, { url = ctx.url, answerMs = 35_000 } = {}): SessionLock {
  const made = createSessionLock({ url, name: 'touchstone_test_lock', key, answerMs });
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

test('a session that does not answer in time is given up, and the lock is had again over another connection', async () => {
  const network = await proxied();
  const holder = lock(99, { url: network.url, answerMs: 500 });
  const isHeld = async () => {
    const session = await holder.acquire();
    if (session !== null) {
      await run(session, Prisma.sql`select 1 as ok`);
    }
    return session !== null;
  };
  expect(await isHeld()).toBe(true);
  network.swallow();
  await expect(isHeld()).rejects.toThrow();
  // (PostgreSQL ends the old session, which says nothing any more, after five seconds.)
  await expect.poll(() => isHeld().catch(() => false), { interval: 250, timeout: 30_000 }).toBe(true);
});

/** The way to the database, over a network that can begin to swallow what is sent on the connections that there are. */
async function proxied(): Promise<{ url: string; swallow(): void }> {
  const { hostname, port } = new URL(ctx.url);
  const ends: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.pipe(far);
    far.pipe(near);
    for (const end of [near, far]) {
      end.on('error', () => end.destroy());
      ends.push(end);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    await Promise.all(locks.splice(0).map((one) => one.release()));
    server.close();
    for (const end of ends) {
      end.destroy();
    }
  });
  const url = new URL(ctx.url);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    swallow() {
      for (const end of ends) {
        end.unpipe();
        end.resume();
      }
    },
  };
}
