import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { scopeOf } from '../../src/services/access/viewer.js';
import { withScope } from '../../src/services/platform/database.js';
import {
  clearInterruptions,
  sayConnected,
  sessionPage,
  sweepNodes,
  type Told,
} from '../../src/services/routing/expert-sessions.js';
import { useTestDb } from '../support/db.js';
import { makeWorld, type World } from '../support/factories.js';
import { fireAlarms, numberOf } from '../support/look.js';
import { take } from '../support/work.js';

// What nodes tell, one after the other, by the database's clock. Nothing else runs.

const t = useTestDb();

/** A node that is known, as one is that has said for the first time that it lives. */
async function startNode(): Promise<string> {
  const node = randomUUID();
  expect(await sayConnected(t.database, node, [])).toEqual({ known: false });
  return node;
}

function toldOf({ tenantId, ada }: World, is: Partial<Told>): Told {
  const base = { tenantId, expertId: ada.expertId, sockets: 1, streams: 0, goodbye: false, blips: [] };
  return { ...base, changedSeconds: 0, cameSeconds: is.changedSeconds ?? 0, ...is };
}

const tell = (node: string, world: World, is: Partial<Told> = {}) =>
  sayConnected(t.database, node, [toldOf(world, is)]);

/** Interruptions, oldest first: seconds since the loss and since they were back. */
async function interruptions({ tenantId }: World) {
  const { rows } = await t.admin.query(
    `select round(extract(epoch from app.clock_now() - lost_at))::int as lost, round(extract(epoch from app.clock_now() - back_at))::int as back,
            lease_held as held, more from expert_interruptions where tenant_id = $1 order by lost_at`,
    [tenantId],
  );
  return rows;
}

/** Machines are slow at times. */
const near = (seconds: number): number => expect.closeTo(seconds, -1);

async function sessionOf(world: World, connected: boolean | null = null) {
  const page = { take: 10, afterId: null, shortSeconds: 600 };
  const rows = await withScope(t.database, scopeOf(world.operator), (tx) =>
    sessionPage(tx, { connected, expertId: null }, page),
  );
  return rows[0];
}

test('who goes from one node to the other is not interrupted', async () => {
  const world = await makeWorld(t.database);
  const [here, there] = [await startNode(), await startNode()];
  await tell(here, world);
  await tell(there, world);
  await tell(here, world, { sockets: 0 });
  expect(await interruptions(world)).toEqual([]);
  expect(await sessionOf(world, true)).toMatchObject({ nodes: 1, sockets: 1 });
  expect(await sessionOf(world, false)).toBeUndefined();
});

test('a node that was buried alive tells of all again, and nobody was interrupted', async () => {
  const world = await makeWorld(t.database);
  const [alive, other] = [await startNode(), await startNode()];
  await tell(alive, world);
  await t.advance(25);
  await sayConnected(t.database, other, []);
  await sweepNodes(t.database, other);
  expect(await interruptions(world)).toMatchObject([{ lost: near(25), back: null }]);
  expect(await sessionOf(world, true)).toBeUndefined();
  expect(await tell(alive, world, { changedSeconds: 25 })).toEqual({ known: false });
  // Meanwhile they were lost for a second: that was one.
  await tell(alive, world, { cameSeconds: 25.5, changedSeconds: 2, blips: [{ lost: 3, back: 2 }] });
  expect(await interruptions(world)).toMatchObject([{ lost: near(3), back: near(2) }]);
  expect(await sessionOf(world, true)).toMatchObject({ nodes: 1, interruptions: 1 });
});

test('whoever was on a dead node and is back elsewhere was interrupted, unless they were there all the while', async () => {
  const [back, both] = [await makeWorld(t.database), await makeWorld(t.database)];
  const [dead, other] = [await startNode(), await startNode()];
  await tell(dead, back);
  await tell(dead, both);
  await t.advance(25);
  await sayConnected(t.database, other, []);
  await sayConnected(t.database, other, []);
  await tell(other, back, { changedSeconds: 10 });
  await tell(other, both, { changedSeconds: 40 });
  expect(await sweepNodes(t.database, other)).toMatchObject([{ leaseHeld: null }]);
  expect(await interruptions(back)).toMatchObject([{ lost: near(25), back: near(10) }]);
  expect(await interruptions(both)).toEqual([]);
  expect(await sessionOf(back, true)).toMatchObject({ nodes: 1 });
});

test('an absence ends when they are back first, also where they are lost again before that is told', async () => {
  const world = await makeWorld(t.database);
  const node = await startNode();
  await tell(node, world);
  await tell(node, world, { sockets: 0 });
  await t.advance(30);
  await tell(node, world, { cameSeconds: 20, changedSeconds: 5, blips: [{ lost: 10, back: 5 }] });
  expect(await interruptions(world)).toMatchObject([
    { lost: near(30), back: near(20) },
    { lost: near(10), back: near(5) },
  ]);
  await tell(node, world, { sockets: 0 });
  await t.advance(30);
  await tell(node, world, { sockets: 0, cameSeconds: 20, changedSeconds: 15 });
  expect((await interruptions(world)).slice(2)).toMatchObject([
    { lost: near(30), back: near(20) },
    { lost: near(15), back: null },
  ]);
});

test('a lease that had not run out when its expert was back was held, though it has when that is told', async () => {
  const world = await makeWorld(t.database);
  const node = await startNode();
  await take(t.database, world.ada);
  await tell(node, world);
  const left = await numberOf(
    t.admin,
    'select extract(epoch from lease_until - app.clock_now())::int from assignments where tenant_id = $1',
    [world.tenantId],
  );
  await t.advance(left - 20);
  await sayConnected(t.database, node, []);
  await tell(node, world, { sockets: 0 });
  await t.advance(60);
  await fireAlarms(t.database);
  await tell(node, world, { changedSeconds: 50 });
  expect(await interruptions(world)).toMatchObject([{ lost: near(60), back: near(50), held: true }]);
});

test('of one expert twenty interruptions an hour are kept, the rest is counted', async () => {
  const world = await makeWorld(t.database);
  const node = await startNode();
  await tell(node, world, { changedSeconds: 100 });
  const blips = Array.from({ length: 10 }, (_, n) => ({ lost: 50 - n, back: 49.5 - n }));
  await tell(node, world, { cameSeconds: 100, blips });
  await tell(node, world, { cameSeconds: 100, blips });
  await tell(node, world, { cameSeconds: 100, blips });
  await tell(node, world, { sockets: 0 });
  await tell(node, world);
  const kept = await interruptions(world);
  expect(kept).toHaveLength(20);
  expect(kept.reduce((sum, { more }) => sum + more, 0)).toBe(11);
  expect(await sessionOf(world)).toMatchObject({
    interruptions: 31,
    longestAwaySeconds: expect.closeTo(0.5),
  });
  await t.advance(3_700);
  await sayConnected(t.database, node, []);
  await tell(node, world, { cameSeconds: 100, blips: blips.slice(0, 1) });
  expect(await interruptions(world)).toHaveLength(21);
});

test('what cannot be told of one expert keeps back no other, and not that the node lives', async () => {
  const world = await makeWorld(t.database);
  const node = await startNode();
  await t.advance(15);
  const stranger = { ...toldOf(world, {}), expertId: 0n };
  const said = await sayConnected(t.database, node, [stranger, toldOf(world, {})]);
  expect(said).toMatchObject({ known: true, refused: [{ told: { expertId: 0n } }] });
  expect(await sessionOf(world, true)).toMatchObject({ nodes: 1 });
  await t.advance(15);
  expect(await sessionOf(world, true)).toMatchObject({ nodes: 1 });
});

test('old interruptions are cleared until none is left', async () => {
  const { tenantId, ada } = await makeWorld(t.database);
  await t.admin.query(
    `insert into expert_interruptions (tenant_id, expert_id, lost_at, back_at)
     select $1, $2, app.clock_now() - interval '40 days', app.clock_now() from generate_series(1, 5001)`,
    [tenantId, ada.expertId],
  );
  expect(await clearInterruptions(t.database, () => false)).toBe(0);
  expect(await clearInterruptions(t.database, () => true)).toBe(5_001);
});
