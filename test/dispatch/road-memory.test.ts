import { latLngToCell } from 'h3-js';
import { expect, test } from 'vitest';
import { createRoadMemory } from '../../src/services/dispatch/eta/road-memory.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { useTestDb } from '../support/db.js';
import { makeTenant } from '../support/factories.js';

const t = useTestDb();
const log = createLogger('silent');
const makeMemory = () => createRoadMemory({ db: t.database, log });
const cell = (lat: number, lng: number) => latLngToCell(lat, lng, 8);
const HERE = cell(52.5, 13.4);
const BESIDE = cell(52.507, 13.4);
const FAR = cell(52.6, 13.4);
const SHORE = cell(52.61, 13.5);

test('what one node has learnt of a way another knows, and the next start of it', async () => {
  const { tenantId } = await makeTenant(t.database);
  const memory = makeMemory();
  memory.note(tenantId, [
    { from: FAR, to: HERE, secondsAMetre: 0.2 },
    { from: FAR, to: HERE, secondsAMetre: 0.7 },
    { from: SHORE, to: HERE, secondsAMetre: null },
  ]);
  await memory.flush();
  const [far, shore, beside] = await makeMemory().know(tenantId, [
    { from: FAR, to: HERE },
    { from: SHORE, to: HERE },
    { from: FAR, to: BESIDE },
  ]);
  expect(far?.cells).toEqual({ mean: expect.closeTo(0.3), worst: 0.7, isBarrier: false });
  expect(shore?.cells).toMatchObject({ isBarrier: true });
  expect(beside?.cells).toBe(null);
  expect(beside?.region).toMatchObject({ isBarrier: false });

  const { tenantId: other } = await makeTenant(t.database);
  const [theirs] = await makeMemory().know(other, [{ from: FAR, to: HERE }]);
  expect(theirs).toEqual({ cells: null, around: null, region: null });
});

test('a way that is found again is no barrier any more, and one lost place makes none around it', async () => {
  const { tenantId } = await makeTenant(t.database);
  const memory = makeMemory();
  memory.note(tenantId, [{ from: FAR, to: HERE, secondsAMetre: null }]);
  expect(memory.recall(tenantId, { from: FAR, to: HERE })).toMatchObject({
    cells: { isBarrier: true },
    around: { isBarrier: true },
    region: null,
  });
  memory.note(tenantId, [{ from: FAR, to: HERE, secondsAMetre: 0.2 }]);
  memory.note(tenantId, [{ from: FAR, to: HERE, secondsAMetre: null }]);
  await memory.flush();
  const [known] = await makeMemory().know(tenantId, [{ from: FAR, to: HERE }]);
  expect(known).toMatchObject({ cells: { isBarrier: true }, around: { isBarrier: false, mean: 0.2 } });
});

test('without the database it goes on with what it has seen itself', async () => {
  const { tenantId } = await makeTenant(t.database);
  const memory = createRoadMemory({
    db: { systemPool: { query: () => Promise.reject(new Error('gone')) } as never },
    log,
  });
  memory.note(tenantId, [{ from: FAR, to: HERE, secondsAMetre: 0.2 }]);
  const [known, unknown] = await memory.know(tenantId, [
    { from: FAR, to: HERE },
    { from: SHORE, to: HERE },
  ]);
  expect(known?.cells).toMatchObject({ mean: 0.2 });
  expect(unknown?.cells).toBe(null);
});

test('who is there in no time teaches nothing, and what could not be written is written later', async () => {
  const { tenantId } = await makeTenant(t.database);
  let isAway = true;
  const systemPool = {
    query: (...args: Parameters<typeof t.database.systemPool.query>) =>
      isAway ? Promise.reject(new Error('gone')) : t.database.systemPool.query(...args),
  };
  const memory = createRoadMemory({ db: { systemPool: systemPool as never }, log });
  memory.note(tenantId, [
    { from: BESIDE, to: HERE, secondsAMetre: 0 },
    { from: FAR, to: HERE, secondsAMetre: 0.2 },
  ]);
  await expect(memory.flush()).rejects.toThrow('gone');
  isAway = false;
  await memory.flush();
  const [beside, far] = await makeMemory().know(tenantId, [
    { from: BESIDE, to: HERE },
    { from: FAR, to: HERE },
  ]);
  expect(beside?.cells).toBe(null);
  expect(far?.cells).toMatchObject({ mean: 0.2 });
});
