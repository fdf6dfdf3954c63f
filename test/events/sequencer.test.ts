import pg from 'pg';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createSequencer } from '../../src/jobs/sequencer.js';
import { createLocalBus, type EventBus, type StreamHead } from '../../src/services/events/bus.js';
import { verify } from '../../src/services/verify.js';
import { heard, listeningLog, silentLog } from '../live/waiting.js';
import { claim, makeWorld, submit } from '../live/world.js';
import { useTestDb } from '../support/db.js';

const ctx = useTestDb();
const jobs: { stop(): Promise<void> }[] = [];
afterAll(async () => {
  expect((await verify(ctx.database)).filter(({ broken }) => broken > 0)).toEqual([]);
});
afterEach(async () => {
  await Promise.all(jobs.splice(0).map((job) => job.stop()));
});

function startSequencer(bus: EventBus, log = silentLog) {
  const sequencer = createSequencer({ db: ctx.database, bus, log });
  sequencer.start();
  jobs.push(sequencer);
  return sequencer;
}

/** Appends an event in a transaction of its own; `during` runs before it commits. */
async function append(
  client: pg.ClientBase | pg.Pool,
  tenantId: bigint,
  { stream, body }: { stream: string; body: object },
) {
  await client.query('select app.append_event($1, $2, $3, $4, null, null)', [
    tenantId,
    stream,
    'TEST',
    JSON.stringify(body),
  ]);
}

/** Resolves when every event of the tenant has its number. */
async function allNumbered(bus: EventBus, { tenantId, count }: { tenantId: bigint; count: number }) {
  const head = new Map<string, number>();
  const total = () => [...head.values()].reduce((sum, seq) => sum + seq, 0);
  await heard<readonly StreamHead[]>(bus.onHeads, (heads) => {
    for (const moved of heads.filter((one) => one.tenantId === tenantId)) {
      head.set(moved.stream, moved.seq);
    }
    return total() === count;
  });
}

async function numbersOf(tenantId: bigint) {
  const { rows } = await ctx.admin.query(
    'select stream, epoch, seq::int, id::int, body from stream_events where tenant_id = $1 order by stream, epoch, seq',
    [tenantId],
  );
  return rows as {
    stream: string;
    epoch: number;
    seq: number;
    id: number;
    body: { writer: number; n: number };
  }[];
}

async function tenant(): Promise<bigint> {
  return (await makeWorld(ctx.admin, { tasks: 0, experts: 0 })).tenantId;
}

describe('the sequencer', () => {
  test('numbers twelve writers densely, each in its own order, while two race and one is killed', async () => {
    const bus = createLocalBus();
    const tenantId = await tenant();
    const { log, said } = listeningLog();
    startSequencer(bus, log);
    startSequencer(bus, log);
    await said('sequencer.events.leading');
    const numbered = allNumbered(bus, { tenantId, count: 12 * 40 });
    let killed = 0;
    const writers = Array.from({ length: 12 }, async (_, writer) => {
      const client = new pg.Client({ connectionString: ctx.url });
      await client.connect();
      for (let n = 0; n < 40; n++) {
        await append(client, tenantId, { stream: `s/${n % 3}`, body: { writer, n } });
        if (writer === 0 && n % 10 === 5) {
          killed += await killLockHolder();
        }
      }
      await client.end();
    });
    await Promise.all(writers);
    await numbered;
    expect(killed).toBeGreaterThan(0);

    const events = await numbersOf(tenantId);
    for (const stream of ['s/0', 's/1', 's/2']) {
      const own = events.filter((event) => event.stream === stream);
      expect(own.map((event) => event.seq)).toEqual(own.map((_, index) => index + 1));
      for (let writer = 0; writer < 12; writer++) {
        const order = own.filter((event) => event.body.writer === writer).map((event) => event.body.n);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }
    }
  });

  test('an event that commits late is numbered late, whatever its id: a reader never misses it', async () => {
    const bus = createLocalBus();
    const tenantId = await tenant();
    startSequencer(bus);
    const slow = new pg.Client({ connectionString: ctx.url });
    await slow.connect();
    await slow.query('begin');
    await append(slow, tenantId, { stream: 's', body: { writer: 1, n: 1 } });
    const first = allNumbered(bus, { tenantId, count: 1 });
    await append(ctx.admin, tenantId, { stream: 's', body: { writer: 2, n: 1 } });
    await first;
    const second = allNumbered(bus, { tenantId, count: 2 });
    await slow.query('commit');
    await second;
    await slow.end();
    const events = await numbersOf(tenantId);
    expect(events.map((event) => event.body.writer)).toEqual([2, 1]);
    expect(events[1]?.id).toBeLessThan(events[0]?.id ?? 0);
  });

  test('after a stop no connection of its own is left', async () => {
    const { log, said } = listeningLog();
    const sequencer = startSequencer(createLocalBus(), log);
    await Promise.all([said('sequencer.events.leading'), said('sequencer.postings.leading')]);
    expect(await sessions()).toBe(2);
    await sequencer.stop();
    expect(await sessions()).toBe(0);
  });

  test('stamps the postings of answers: dense numbers, balances that end at their sums', async () => {
    const bus = createLocalBus();
    const world = await makeWorld(ctx.admin, { tasks: 5, experts: 5 });
    for (let n = 0; n < 5; n++) {
      await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world, n), n });
    }
    const { log, said } = listeningLog();
    startSequencer(bus, log);
    await said('ledger.stamped');
    const { rows: numbers } = await ctx.admin.query(
      'select posting_no::int from ledger_stamps where tenant_id = $1 order by posting_no',
      [world.tenantId],
    );
    expect(numbers.map((row) => row.posting_no)).toEqual([1, 2, 3, 4, 5]);
    const { rows: balances } = await ctx.admin.query(
      `select distinct on (owner_kind, owner_id) owner_kind, balance_minor::int from ledger_entries
       where tenant_id = $1 and owner_kind = 'CUSTOMER' order by owner_kind, owner_id, entry_no desc`,
      [world.tenantId],
    );
    expect(balances).toEqual([{ owner_kind: 'CUSTOMER', balance_minor: -500 }]);
  });
});

const LOCK_SESSIONS = `application_name like 'touchstone_sequencer.%' and datname = current_database()`;

async function killLockHolder(): Promise<number> {
  const killed = await ctx.admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'touchstone_sequencer.events' and datname = current_database()
       and pid in (select pid from pg_locks where locktype = 'advisory' and granted)`,
  );
  return killed.rowCount ?? 0;
}

async function sessions(): Promise<number> {
  const { rows } = await ctx.admin.query(
    `select count(*)::int as n from pg_stat_activity where ${LOCK_SESSIONS}`,
  );
  return rows[0].n;
}
