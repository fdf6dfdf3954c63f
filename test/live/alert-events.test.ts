import { afterEach, expect, test } from 'vitest';
import { createLive } from '../../src/live/live.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { stampEvents } from '../../src/services/events/events.sql.js';
import { withSystem } from '../../src/services/platform/database.js';
import { useTestDb } from '../support/db.js';
import { type Node, startNode, take } from './streams.js';
import { makeWorld, viewerOf } from './world.js';

// Alerts that last and what becomes of them after that: what was committed and not numbered when somebody began is told once.

const ctx = useTestDb();
const nodes: Node[] = [];
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

test('a beginning tells alerts as their stream does up to there: nothing twice, and to nobody less for another', async () => {
  const world = await makeWorld(ctx.admin, { tasks: 0, experts: 1 });
  const bus = createLocalBus();
  const node = startNode({ db: ctx.database, bus, sequencer: false });
  nodes.push(node);
  const live = createLive(node.parts);
  const raise = (kind: string) =>
    ctx.admin.query(`select app.raise_alert($1, $2, 'skill/1', 'WARNING', 'Nobody is there.', '{}')`, [
      world.tenantId,
      kind,
    ]);
  const acknowledge = (kind: string) =>
    ctx.admin.query(
      `update alerts set acknowledged_at = now(), acknowledged_by = $3 where tenant_id = $1 and kind = $2`,
      [world.tenantId, kind, world.experts[0]?.identityId],
    );
  const resolve = (kind: string) =>
    ctx.admin.query(`select app.resolve_alert($1, $2, 'skill/1')`, [world.tenantId, kind]);

  const viewer = viewerOf(world, 'OPERATOR');
  await ctx.admin.query(
    `insert into identity_roles (tenant_id, identity_id, role) values ($1, $2, 'OPERATOR')`,
    [world.tenantId, viewer.identityId],
  );
  const told = async (
    items: AsyncIterator<{ value: { kind: string; alertKind: string | null } }>,
    count: number,
  ) => (await take(items, count)).map(({ value }) => `${value.kind} ${value.alertKind}`);

  await raise('SKILL_SHORT');
  await withSystem(ctx.database, (tx) => stampEvents(tx, 100));
  const early = await live.alertEvents(viewer, {});
  const [first, current] = [(await take(early, 1))[0], (await take(early, 1))[0]];
  expect([first?.value.kind, current?.value.kind]).toEqual(['RAISED', 'CURRENT']);
  await early.return?.();

  // Of what waits for its number one begins with nothing, and one who goes on from before hears it all.
  await acknowledge('SKILL_SHORT');
  await raise('SKILL_STARVED');
  await acknowledge('SKILL_STARVED');
  const items = await live.alertEvents(viewer, {});
  expect(await told(items, 2)).toEqual(['RAISED SKILL_SHORT', 'CURRENT null']);
  const resumed = await live.alertEvents(viewer, { after: current?.cursor ?? null });
  await resolve('SKILL_STARVED');
  nodes.push(startNode({ db: ctx.database, bus }));
  for (const one of [items, resumed]) {
    expect(await told(one, 4)).toEqual([
      'ACKNOWLEDGED SKILL_SHORT',
      'RAISED SKILL_STARVED',
      'ACKNOWLEDGED SKILL_STARVED',
      'RESOLVED SKILL_STARVED',
    ]);
    await one.return?.();
  }
});
