// @once: what it looks at is who is executed for, not what PostgreSQL makes of a statement
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
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
