import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createSession, report } from '../../src/ingest/fix-session.js';
import { openFixes } from '../../src/services/dispatch/fixes/open-fixes.js';
import { createShifts, workerKey } from '../../src/services/dispatch/fixes/shifts.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { createSecretBox } from '../../src/services/platform/secret-box.js';
import { useTestDb } from '../support/db.js';
import { HERE, makeDepot, makeWorker } from '../support/dispatch.js';

// Whether somebody is on shift is asked of the database; while it is away nobody is taken for being so.
const t = useTestDb();

/** Shifts by a clock that the test moves, of a database that it can take away: then nobody listens where it was. */
function shiftsAway() {
  const at = { ms: 0, isAway: false };
  const nobody = new pg.Pool({ host: '127.0.0.1', port: 1 });
  const db = {
    get systemPool() {
      return at.isAway ? nobody : t.database.systemPool;
    },
  };
  return { at, shifts: createShifts(db, () => at.ms) };
}

test('what was known of a shift holds for a minute while the database is away, then nothing is known; it is asked once a second', async () => {
  const depot = await makeDepot(t);
  const { expertId } = await makeWorker(depot, { at: null });
  const worker = workerKey(depot.tenantId, expertId);
  const { at, shifts } = shiftsAway();
  expect(await shifts.standing(worker)).toBe('ON_SHIFT');
  at.isAway = true;
  at.ms = 31_000;
  const failed = shifts.standing(worker);
  await expect(failed).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(shifts.known(worker)).toBe('ON_SHIFT');
  expect(shifts.standing(worker)).toBe(failed);
  at.ms = 61_000;
  expect(shifts.known(worker)).toBeNull();
  await expect(shifts.standing(worker)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await t.admin.query(`update workers set shift_start = '02:00', shift_end = '03:00' where expert_id = $1`, [
    expertId,
  ]);
  at.isAway = false;
  expect(shifts.known(worker)).toBeNull();
  at.ms += 1_000;
  expect(await shifts.standing(worker)).toBe('OFF_SHIFT');
  expect(shifts.known(worker)).toBe('OFF_SHIFT');
});

test('a socket’s fix waits until it is known whether its sender is on shift, and is refused where that cannot be asked', async () => {
  const depot = await makeDepot(t);
  const { expertId } = await makeWorker(depot, { at: null });
  const worker = workerKey(depot.tenantId, expertId);
  const fixes = await openFixes({
    ...{ db: t.database, redis: null, secrets: createSecretBox('the key of this test file') },
    ...{ registry: new Registry(), log: createLogger('silent'), bounds: null },
  });
  const { at, shifts } = shiftsAway();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  const session = createSession(socket);
  const send = (lat: number) =>
    report(session, worker, {
      data: Buffer.from(JSON.stringify({ lat, lng: HERE.longitude, deviceMs: fixes.clock.nowMs() })),
      fixes: { ...fixes, shifts },
    });
  const seen = async () => {
    await fixes.intake.settled();
    return (await fixes.index.lastSeen(depot.tenantId, [expertId]))[0]?.place.latitude;
  };
  send(42.51);
  await expect.poll(seen).toBe(42.51);
  at.isAway = true;
  at.ms = 61_000;
  send(42.52);
  const [told] = await once(client, 'message');
  expect(JSON.parse(String(told))).toEqual({ type: 'refused', code: 'UNAVAILABLE', retryAfterSeconds: 1 });
  expect(await seen()).toBe(42.51);
  at.isAway = false;
  at.ms += 1_000;
  send(42.53);
  await expect.poll(seen).toBe(42.53);
  client.terminate();
  server.close();
  await fixes.close();
});
