import { afterEach, expect, test } from 'vitest';
import { createLive } from '../../src/live/live.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { stampEvents, stampPostings } from '../../src/services/events/events.sql.js';
import { withSystem } from '../../src/services/platform/database.js';
import { useTestDb } from '../support/db.js';
import { type Node, startNode, take } from './streams.js';
import { claim, makeWorld, submit, viewerOf, type World } from './world.js';

// The first balances and what is booked after them: nothing is told twice, and nothing is left out.

const ctx = useTestDb();
const nodes: Node[] = [];
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

const answer = async (world: World) =>
  submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world) });

test('what is booked but not told yet is not in the first balance: amounts add up to balances', async () => {
  const world = await makeWorld(ctx.admin, { tasks: 3, experts: 1 });
  const bus = createLocalBus();
  const listening = startNode({ db: ctx.database, bus, sequencer: false });
  nodes.push(listening);
  const live = createLive(listening.parts);
  const viewer = viewerOf(world, 'OPERATOR');
  const whose = { expertId: world.experts[0]?.expertId ?? null };
  const book = async () => {
    await answer(world);
    expect(await withSystem(ctx.database, (tx) => stampPostings(tx, 100))).toBe(1);
  };

  await book();
  const early = await live.payoutEvents(viewer, whose);
  expect((await take(early, 1))[0]?.value).toMatchObject({ kind: 'CURRENT', balanceMinor: null });

  nodes.push(startNode({ db: ctx.database, bus }));
  const [first] = await take(early, 1);
  expect(first?.value).toMatchObject({ kind: 'POSTED', amountMinor: 100n, balanceMinor: 100n });

  // A second that begins when one was told and the next was booked has the first in its balance only.
  await nodes.pop()?.stop();
  await book();
  const late = await live.payoutEvents(viewer, whose);
  const [begun] = await take(late, 1);
  expect(begun?.value).toMatchObject({ kind: 'CURRENT', balanceMinor: 100n });
  nodes.push(startNode({ db: ctx.database, bus }));
  for (const items of [
    early,
    late,
    await live.payoutEvents(viewer, { ...whose, after: begun?.cursor ?? null }),
  ]) {
    expect((await take(items, 1))[0]?.value).toMatchObject({ amountMinor: 100n, balanceMinor: 200n });
    await items.return?.();
  }
});

test('balances come in each currency, and go on where an event of before does not say from which entry on it tells', async () => {
  const world = await makeWorld(ctx.admin, { tasks: 3, experts: 1 });
  const node = startNode({ db: ctx.database, bus: createLocalBus(), sequencer: false });
  nodes.push(node);
  const live = createLive(node.parts);
  const expertId = world.experts[0]?.expertId ?? null;
  await answer(world);
  await ctx.admin.query(PAID_IN_OTHERS, [world.tenantId, expertId]);
  await withSystem(ctx.database, (tx) => stampPostings(tx, 100));
  await withSystem(ctx.database, (tx) => stampEvents(tx, 1_000));
  await answer(world);
  await withSystem(ctx.database, (tx) => stampPostings(tx, 100));
  await ctx.admin.query(
    `update stream_events set body = body - 'firstEntry' where seq is null and kind = 'POSTED'`,
  );
  const items = await live.payoutEvents(viewerOf(world, 'OPERATOR'), { expertId });
  const told = (await take(items, 3)).map(({ value }) => [value.currency, value.balanceMinor]);
  expect(told).toEqual([
    ['CHF', 7n],
    ['EUR', 100n],
    ['USD', 7n],
  ]);
  await items.return?.();
});

const PAID_IN_OTHERS = `
  with posted as (
    insert into postings (tenant_id, kind, project_id, created_at)
    select $1, 'EARNING', id, now() from projects, generate_series(1, 2) where tenant_id = $1 returning id
  ), numbered as (
    select id, case row_number() over () when 1 then 'CHF' else 'USD' end as currency from posted
  ), awaited as (
    insert into ledger_outbox (tenant_id, posting_id) select $1, id from posted
  )
  insert into ledger_lines (tenant_id, posting_id, line_no, owner_kind, owner_id, currency, amount_minor)
  select $1, n.id, l.no, l.kind, l.owner, n.currency, l.amount
  from numbered n cross join (values (1, 'EXPERT', $2::bigint, 7), (2, 'TENANT', $1, -7)) as l(no, kind, owner, amount)`;
