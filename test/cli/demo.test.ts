// @once @long: it looks at what people do; what PostgreSQL makes of statements other tests look at on both
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { characterOf } from '../../src/runtime/demo/characters.js';
import { goldOf, itemsOf, LIVELY_KINDS } from '../../src/runtime/demo/lively-work.js';
import { useTestDb } from '../support/db.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import { restoreChance } from '../support/serving.js';
import { environmentOf } from './support/replayed.js';
import { touchstone } from './support/touchstone.js';

const t = useTestDb();
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-demo-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const FLAGS = [
  '--experts',
  '20',
  '--seed',
  '7',
  '--rate',
  '60',
  '--lease-seconds',
  '2',
  '--lapse',
  '.1',
  '--work',
  '.05',
];

async function demo(answers: number) {
  const args = ['demo', ...FLAGS, '--answers', String(answers), '--seconds', '60', '--port', '0', '--json'];
  const { code, stdout, stderr } = await touchstone(args, environmentOf(t, dataDir));
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

const count = (from: string) => numberOf(t.admin, `select count(*) from ${from}`);

test('a small crowd claims, answers, meets gold, is paid and lets leases lapse; no rule is broken, and a second start goes on', async () => {
  await restoreChance(t.admin);
  const first = await demo(40);
  expect(first).toMatchObject({ experts: 20, seed: 7, errors: {} });
  for (const moved of ['claims', 'submits', 'expiries', 'lapses', 'results', 'uploads'] as const) {
    expect(first[moved], moved).toBeGreaterThan(0);
  }
  expect(Number(first.paid.EUR)).toBeGreaterThan(0);
  expect(first.latencies.Submit).toMatchObject({ p50: expect.any(Number), p99: expect.any(Number) });
  expect(await count('answers')).toBeGreaterThanOrEqual(first.submits);
  expect(await count('gradings')).toBeGreaterThan(0);
  expect(await count('experts')).toBe(20);

  const [batches, projects] = [await count('batches'), await count('projects')];
  expect(projects).toBe(LIVELY_KINDS.length);
  const second = await demo(1);
  expect(second.submits).toBeGreaterThan(0);
  expect(await count('batches')).toBe(batches + second.uploads);
  expect([await count('projects'), await count('experts')]).toEqual([projects, 20]);
  await expectRulesHold(t.database);
});

test('a seed draws the same people each time; one of them is careless, and all work has somebody', () => {
  const crowd = Array.from({ length: 40 }, (_, n) => characterOf(3, n + 1));
  expect(crowd.map(({ shift }) => shift)).toEqual(
    Array.from({ length: 40 }, (_, n) => characterOf(3, n + 1).shift),
  );
  expect(crowd.filter(({ isCareless }) => isCareless).map(({ name }) => name)).toEqual(['expert-013']);
  for (const { skill } of LIVELY_KINDS) {
    expect(crowd.some(({ skills }) => skills.includes(skill))).toBe(true);
  }
});

test.each(LIVELY_KINDS)(
  'items of "$key" are unlike each other and unlike gold, with names of one form',
  (kind) => {
    const items = [...itemsOf(kind, 0, 120), ...itemsOf(kind, 1, 120)];
    const golds = goldOf(kind, 60);
    const payloads = [...items, ...golds].map(({ payload }) => JSON.stringify(payload));
    expect(new Set(payloads).size).toBe(payloads.length);
    expect(new Set([...items, ...golds].map(({ externalId }) => externalId.replace(/\d/g, '0'))).size).toBe(
      1,
    );
    expect(new Set(golds.map(({ answer }) => JSON.stringify(answer))).size).toBe(kind.answers.length);
  },
);
