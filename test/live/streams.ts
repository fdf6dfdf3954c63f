import type pg from 'pg';
import { createSequencer } from '../../src/jobs/sequencer.js';
import { createBeginnings } from '../../src/live/beginnings.js';
import { createCursorCodec } from '../../src/live/cursor.js';
import type { Coalesce } from '../../src/live/event-queue.js';
import type { HandedItems } from '../../src/live/handed.js';
import { createLiveHub, type LiveHub } from '../../src/live/hub.js';
import type { LiveParts } from '../../src/live/parts.js';
import { createRevocationWatch } from '../../src/live/revocation.js';
import { SharedReads } from '../../src/live/shared-reads.js';
import { type LiveItem, subscription } from '../../src/live/subscription.js';
import type { EventBus } from '../../src/services/events/bus.js';
import type { Database } from '../../src/services/platform/database.js';
import { silentLog } from './waiting.js';

/** A node as far as events go: it may number them, and it lets subscribers read. */
export interface Node {
  readonly hub: LiveHub;
  readonly bus: EventBus;
  readonly parts: LiveParts;
  stop(): Promise<void>;
}

export function startNode({
  db,
  bus,
  sequencer = true,
}: {
  db: Database;
  bus: EventBus;
  sequencer?: boolean;
}): Node {
  const hub = createLiveHub({ db, bus, log: silentLog });
  const revocation = createRevocationWatch({ db, log: silentLog });
  const job = createSequencer({ db, bus, log: silentLog });
  if (sequencer) {
    job.start();
  }
  return {
    hub,
    bus,
    parts: {
      db,
      hub,
      revocation,
      sharedReads: new SharedReads(),
      beginnings: createBeginnings(db),
      cursorSecret: 'secret',
    },
    async stop() {
      await hub.close();
      await revocation.close();
      await job.stop();
    },
  };
}

/** Appends events with bodies `{n, key}`, one transaction each, and pokes the sequencer. */
export async function appendNumbers(
  db: pg.ClientBase | pg.Pool,
  bus: EventBus,
  { tenantId, stream = 's', numbers }: { tenantId: bigint; stream?: string; numbers: readonly number[] },
): Promise<void> {
  for (const n of numbers) {
    await db.query(`select app.append_event($1, $2, 'TEST', $3, null, null)`, [
      tenantId,
      stream,
      JSON.stringify({ n, key: n % 3 }),
    ]);
    bus.poke();
  }
}

export interface NumberSubscription {
  readonly tenantId: bigint;
  readonly stream?: string;
  readonly after?: string | null;
  readonly coalesce?: Coalesce;
  readonly expiresAtMs?: number;
  readonly state?: () => Promise<number>;
}

/** A subscription to such a stream; its state is the one value -1, or what is given. */
export function numbersOf(hub: LiveHub, options: NumberSubscription): HandedItems<LiveItem<number>> {
  const { tenantId, stream = 's', after = null, coalesce = null, state = async () => -1 } = options;
  const source = { tenantId, stream };
  return subscription<number>({
    reader: hub.open(source, coalesce),
    cursors: createCursorCodec('secret', source),
    after,
    expiresAtMs: options.expiresAtMs ?? Number.MAX_SAFE_INTEGER,
    async *state() {
      yield await state();
    },
    change: ({ body }) => JSON.parse(body).n,
  });
}

/** The next `count` items. */
export async function take<T>(items: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { value, done } = await items.next();
    if (done) {
      break;
    }
    taken.push(value);
  }
  return taken;
}

export const upTo = (n: number, from = 1): number[] =>
  Array.from({ length: n - from + 1 }, (_, i) => from + i);
