// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

// A client of server-sent events that stops reading: it is cut off and goes on from its last id; nobody else loses anything.

const db = useTestDb();
const api = useTestApi(db);

/** What one item takes, so that a few thousand are more than all buffers between server and client hold. */
const ALIASES = Array.from({ length: 20 }, (_, n) => `a${n}${'x'.repeat(400)}: reset`).join(' ');
const QUERY = `subscription($id: ID!) { leaseEvents(projectId: $id) { kind assignmentId ${ALIASES} } }`;
/** Less than what may wait for one subscriber. */
const AT_ONCE = 100;
const ROUNDS = 30;

interface Item {
  readonly id: string;
  /** Null of the item that begins a subscription. */
  readonly number: number | null;
}

/** A response of which nothing is read until its items are asked for. */
async function open(world: ApiWorld, lastEventId?: string): Promise<IncomingMessage> {
  const asked: ClientRequest = request(`${api.url}/graphql`, {
    method: 'POST',
    agent: false,
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${world.customer}`,
      'content-type': 'application/json',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  onTestFinished(() => void asked.destroy());
  asked.on('error', () => undefined);
  asked.end(JSON.stringify({ query: QUERY, variables: { id: world.projectId } }));
  const [response] = await once(asked, 'response');
  return response;
}

/** The items of a response until it ends, completed or not. */
async function* itemsOf(response: IncomingMessage): AsyncGenerator<Item, 'completed' | 'cut off'> {
  let text = '';
  try {
    for await (const chunk of response) {
      text += String(chunk);
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.includes('event: complete')) {
          return 'completed';
        }
        const [, id, data] = /^id: (\S+)\nevent: next\ndata: (.*)$/.exec(block) ?? [];
        if (id !== undefined && data !== undefined) {
          yield { id, number: numberOf(JSON.parse(data).data.leaseEvents.assignmentId) };
        }
      }
    }
  } catch {
    // the connection was ended in the middle of the response
  }
  return 'cut off';
}

function numberOf(assignmentId: string | null): number | null {
  return assignmentId === null ? null : Number(api.server.app.ids.decode(assignmentId)?.id);
}

/** Events that tell of nothing that is, numbered from `from`. */
async function publish(world: ApiWorld, from: number): Promise<void> {
  await db.admin.query(
    `insert into stream_events (tenant_id, stream, kind, body)
     select $1, 'lease/project/' || $2, 'LEASED', jsonb_build_object('assignmentId', n, 'taskId', n, 'projectId', $2::bigint,
       'expertId', n, 'leaseUntil', now()) from generate_series($3::int, $3::int + $4::int - 1) n`,
    [world.tenantId, api.server.app.ids.decode(world.projectId)?.id, from, AT_ONCE],
  );
}

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, n) => from + n);

async function take(items: AsyncGenerator<Item, unknown>, count: number): Promise<Item[]> {
  const taken: Item[] = [];
  while (taken.length < count) {
    const { value, done } = await items.next();
    if (done) {
      throw new Error(`The response ended after ${taken.length} items.`);
    }
    taken.push(value as Item);
  }
  return taken;
}

const openStreams = async () =>
  Number(/^touchstone_event_streams (\d+)/m.exec(await (await fetch(`${api.url}/metrics`)).text())?.[1]);

test('a client that stops reading is cut off and goes on from its last id; those that read lose nothing', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const last = ROUNDS * AT_ONCE;
  const stuck = await open(world);
  const gone = await open(world);
  const reading = itemsOf(await open(world));
  await take(reading, 1);
  for (const from of upTo(ROUNDS).map((round) => (round - 1) * AT_ONCE + 1)) {
    await publish(world, from);
    expect((await take(reading, AT_ONCE)).map(({ number }) => number)).toEqual(
      upTo(from + AT_ONCE - 1, from),
    );
  }
  // What it finds when it reads again: the beginning, without a gap, and then an end that is no completion.
  const got: Item[] = [];
  const items = itemsOf(stuck);
  let next = await items.next();
  for (; !next.done; next = await items.next()) {
    got.push(next.value);
  }
  expect(next.value).toBe('cut off');
  expect(got.map(({ number }) => number)).toEqual([null, ...upTo(got.length - 1)]);
  expect(got.length).toBeLessThan(last);
  const resumed = itemsOf(await open(world, got.at(-1)?.id));
  const rest = await take(resumed, last + 1 - got.length);
  expect(rest.map(({ number }) => number)).toEqual(upTo(last, got.length));
  // The one that never reads again is let go of too.
  await expect.poll(openStreams, { interval: 200 }).toBe(2);
  gone.destroy();
}, 60_000);
