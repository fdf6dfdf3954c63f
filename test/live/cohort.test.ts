// @once @apart: what it looks at is who is executed for, not what PostgreSQL makes of a statement; it hears what nobody catches
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keptWith } from '../../src/live/kept.js';
import { asked, handing, seen, seenSoFar } from './asking.js';

// Members of a cohort come and go, and what they get may have to be read: for whom, until when, and who is told of a failure.

const LATER = 'subscription { seen { later } }';

test('what is still to be read is not handed over, and comes in its turn', async () => {
  const { source, tell } = handing();
  const items = await asked(source, { query: LATER });
  const told: unknown[] = [];
  items.handTo((result) => told.push(result) > 0);
  for (const seq of [1, 2]) {
    const next = items.next();
    expect(tell(seq)).toEqual([false]);
    expect((await next).value).toMatchObject({
      cursor: String(seq),
      text: '{"data":{"seen":{"later":"for 1"}}}',
    });
  }
  expect(told).toEqual([]);
  await items.return?.();
});

test('what nobody waits for any more fails for nobody', async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', hear);
  const { source, tell } = handing();
  const mask = () => {
    throw new Error('cannot be told');
  };
  const items = await asked(source, { query: 'subscription { seen { never } }', mask });
  items.handTo(() => true);
  tell(1);
  await nextTurn(); // When it ends, what was rejected before has been told.
  process.off('unhandledRejection', hear);
  await items.return?.();
  expect(unhandled).toEqual([]);
});

test('whoever stays is answered when the one who came first has left', async () => {
  const value = {};
  const first = new AbortController();
  const source = async function* () {
    yield { cursor: 'a', reset: false, value };
    yield { cursor: 'b', reset: false, value };
  };
  const leaving = await asked(source, { query: LATER, signal: first.signal });
  const staying = await asked(source, { query: LATER, viewer: { identityId: 2n } });
  await leaving.next();
  first.abort();
  await leaving.return?.();
  for (const cursor of ['a', 'b']) {
    const { value: result } = await staying.next();
    expect([result.cursor, result.text]).toEqual([cursor, '{"data":{"seen":{"later":"for 1"}}}']);
  }
  await staying.return?.();
});

test('each who is shown answers is kept as their reader, also of what was read for another', async () => {
  const value = {};
  seenSoFar.executions = 0;
  seenSoFar.readers.length = 0;
  for (const identityId of [3n, 4n]) {
    await seen(value, { query: LATER, viewer: { identityId } });
  }
  expect(seenSoFar.executions).toBe(1);
  expect(seenSoFar.readers).toEqual(['3 7', '4 7']);
});

const EVENT = { epoch: 1, seq: 1, kind: 'SUBMITTED', body: '{}', at: new Date(0) };
const itemOf = (event: object) =>
  async function* () {
    yield { cursor: 'c', reset: false, skipped: null, value: event, event };
  };

test.each(['sometimes', 'later'])('what failed is made anew for whoever comes later: %s', async (field) => {
  const event = { ...EVENT };
  const query = `subscription { seen { sometimes ${field} } }`;
  const ask = async () => {
    const items = await asked(itemOf(event), { query });
    const text = (await items.next()).value.text;
    return { text, items };
  };
  const staying = await asked(async function* () {}, { query }); // The cohort goes on.
  seenSoFar.isBroken = true;
  const first = await ask();
  seenSoFar.isBroken = false;
  const second = await ask();
  expect(first.text).toContain('errors');
  expect(JSON.parse(second.text)).toMatchObject({ data: { seen: { sometimes: 'here' } } });
  expect(second.text).not.toContain('errors');
  await Promise.all([staying, first.items, second.items].map((items) => items.return?.()));
});

test('what many different questions make of one event has a bound', async () => {
  const event = { ...EVENT };
  for (let times = 1; times <= 40; times++) {
    const query = `subscription { seen { by(times: ${times}) } }`;
    const items = await asked(itemOf(event), { query });
    await items.next();
    await items.return?.();
  }
  expect(keptWith(event).size).toBe(16);
});

test('nothing is read on when the last has left', async () => {
  const query = 'subscription { seen { later } } # of its own';
  const items = await asked(itemOf({ ...EVENT }), { query });
  const staying = await asked(async function* () {}, { query });
  await items.next();
  await items.return?.();
  expect(seenSoFar.signal?.aborted).toBe(false);
  await staying.return?.();
  expect(seenSoFar.signal?.aborted).toBe(true);
});
