import { afterEach, expect, test } from 'vitest';
import { createLive } from '../../src/live/live.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { useTestDb } from '../support/db.js';
import { type Node, startNode, take } from './streams.js';
import { makeWorld, viewerOf } from './world.js';

// Alerts that last and what becomes of them after that: what was committed and not numbered when somebody began is told once.

const ctx = useTestDb();
const nodes: Node[] = [];
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

test('what a beginning has told is not told again when its event gets a number, nor what went before it', async () => {
  const world = await makeWorld(ctx.admin, { tasks: 0, experts: 1 });
  const bus = createLocalBus();
  const node = startNode({ db: ctx.database, bus, sequencer: false });
  nodes.push(node);
  const live = createLive({ db: ctx.database, hub: node.hub, cursorSecret: 'secret' });
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

  await raise('SKILL_SHORT');
  await raise('SKILL_STARVED');
  await acknowledge('SKILL_STARVED');
  const items = await live.alertEvents(viewerOf(world, 'OPERATOR'), {});
  const told = (await take(items, 3)).map(({ value }) => `${value.kind} ${value.alertKind}`);
  expect(told).toEqual(['RAISED SKILL_SHORT', 'ACKNOWLEDGED SKILL_STARVED', 'CURRENT null']);

  await acknowledge('SKILL_SHORT');
  await resolve('SKILL_STARVED');
  await raise('SKILL_STARVED');
  nodes.push(startNode({ db: ctx.database, bus }));
  expect((await take(items, 3)).map(({ value }) => `${value.kind} ${value.alertKind}`)).toEqual([
    'ACKNOWLEDGED SKILL_SHORT',
    'RESOLVED SKILL_STARVED',
    'RAISED SKILL_STARVED',
  ]);
  await items.return?.();
});
