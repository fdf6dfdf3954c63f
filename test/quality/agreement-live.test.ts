import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ScopeRole, withScope } from '../../src/services/platform/database.js';
import type { Queryable } from '../../src/services/platform/rows.js';
import { runCheck } from '../../src/services/platform/rules.js';
import { keepAgreement, refoldAgreement } from '../../src/services/quality/agreement/keep.js';
import { agreementRules } from '../../src/services/quality/agreement/rules.sql.js';
import type { Scale } from '../../src/services/quality/agreement/scales.js';
import {
  pairAgreement,
  projectAgreement,
  skillAgreement,
} from '../../src/services/quality/reads/agreement.js';
import { useTestDb } from '../support/db.js';
import { at, CHOICES, makeWorld, type World } from '../support/factories.js';
import { submit, take } from '../support/work.js';
import { LiveAnswers } from './support/live-answers.js';
import { plantAnswered } from './support/planted.js';
import { type Compared, textbookAlpha, textbookAlphaOfPart } from './support/textbook-alpha.js';

// Rule 11: agreement is kept answer by answer, and is at any time what counting everything anew gives.
const t = useTestDb();

async function fold(): Promise<void> {
  while ((await keepAgreement(t.database, 7)) > 0);
}

const asAnalyst = <T>(
  { tenantId }: World,
  read: (tx: Queryable) => Promise<T>,
  role: ScopeRole = 'ANALYST',
) => withScope(t.database, { tenantId, role, actorId: null }, read);

async function broken(): Promise<string[]> {
  const findings = await Promise.all(agreementRules.map((rule) => runCheck(t.database.system, rule)));
  return findings.flatMap(({ claim, examples }) => examples.map((what) => `${claim} But: ${what}`));
}

test('pairs of experts agree as the printed table says', async () => {
  const world = await makeWorld(t.database, { experts: 3, tasks: 0 });
  // Cohen's kappa of 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no is .40 (the worked example of the textbooks: observed .7, by chance .5).
  const both = (one: string, other: string, count: number) =>
    Array.from({ length: count }, () => [
      { expert: 0, label: one, confidence: null },
      { expert: 1, label: other, confidence: null },
    ]);
  await plantAnswered(t.admin, world, [
    ...both('yes', 'yes', 20),
    ...both('yes', 'no', 5),
    ...both('no', 'yes', 10),
    ...both('no', 'no', 15),
    [
      { expert: 0, label: 'yes', confidence: null },
      { expert: 2, label: 'yes', confidence: null },
    ],
  ]);
  await refoldAgreement(t.database);
  await fold();
  const pairs = await asAnalyst(world, (tx) => pairAgreement(tx, world.projectId));
  const { ada, bob, cyd } = world;
  expect(pairs).toMatchObject([
    { dimension: 'choice', one: ada.expertId, other: bob.expertId, tasks: 50 },
    { one: ada.expertId, other: cyd.expertId, tasks: 1, kappa: 1, interval: null },
  ]);
  expect(pairs[0]?.kappa).toBeCloseTo(0.4, 12);
  expect(pairs[0]?.agreed).toBeCloseTo(0.7, 12);
});

test('of a pair Scott’s pi is .7962397 and AC1 .8493305, as irrCAC prints them of its two abstractors', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 0 });
  // cont3x3abstractors (Ectopic, AIU, NIU): kappa .7964094; a pair has no Fleiss' kappa of its own, for of two it is Scott's pi.
  const table = [
    [13, 0, 0],
    [0, 20, 7],
    [0, 4, 56],
  ];
  const both = table.flatMap((row, one) =>
    row.flatMap((count, other) =>
      Array.from({ length: count }, () =>
        [one, other].map((label, expert) => ({ expert, label: at(CHOICES, label), confidence: null })),
      ),
    ),
  );
  await plantAnswered(t.admin, world, both);
  await refoldAgreement(t.database);
  await fold();
  const [pair] = await asAnalyst(world, (tx) => pairAgreement(tx, world.projectId));
  expect(pair?.kappa).toBeCloseTo(0.7964094, 7);
  expect(pair?.scottPi).toBeCloseTo(0.7962397, 7);
  expect(pair?.gwetAc1).toBeCloseTo(0.8493305, 7);
});

const says = fc.record(
  {
    choice: fc.constantFrom('no', 'yes', 'maybe'),
    rank: fc.nat(3),
    text: fc.constantFrom('a', 'b', 'c', 'é', 'ß'),
    amount: fc.constantFrom(0, 0.5, 1, 2, 10),
    length: fc.constantFrom(0, -0, 0.1, 0.2, 0.3, -7.25, 1e15, 1e-12),
  },
  { requiredKeys: ['choice'] },
);
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ kind: fc.constant('TURN' as const), task: fc.nat(4), expert: fc.nat(3), says }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('EXCHANGE' as const), task: fc.nat(4) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('FOLD' as const) }) },
  ),
  { minLength: 5, maxLength: 40 },
);
const SCALES: readonly (readonly [string, Scale])[] = [
  ['choice', 'NOMINAL'],
  ['rank', 'ORDINAL'],
  ['text', 'NOMINAL'],
  ['length', 'INTERVAL'],
  ['amount', 'RATIO'],
];

test('answers that come, go and come back leave what the textbook counts of those that are left', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const world = await makeWorld(t.database, { experts: 4, tasks: 0 });
      const live = new LiveAnswers(t.admin, world);
      await live.open(5);
      for (const step of given) {
        switch (step.kind) {
          case 'TURN':
            await live.turn(step.task, step.expert, step.says);
            break;
          case 'EXCHANGE':
            await live.exchange(step.task);
            break;
          case 'FOLD':
            await keepAgreement(t.database, 3);
        }
      }
      await fold();
      await expectTextbook(world, live);
      expect(await broken()).toEqual([]);
    }),
    { numRuns: 20 },
  );
}, 120_000);

async function expectTextbook(world: World, live: LiveAnswers): Promise<void> {
  const project = await asAnalyst(world, (tx) => projectAgreement(tx, world.projectId));
  const skill = await asAnalyst(world, (tx) => skillAgreement(tx, world.skillId));
  const pairs = await asAnalyst(world, (tx) => pairAgreement(tx, world.projectId));
  for (const [dimension, scale] of SCALES) {
    const units = live.units(dimension).filter((unit) => unit.length > 1);
    const values = units.map((unit) => unit.map(({ said }) => said));
    const alpha = textbookAlpha(values, scale);
    for (const all of [project, skill]) {
      const kept = all.find((one) => one.dimension === dimension);
      expectClose(kept?.alpha ?? null, alpha);
      expect(kept?.tasks ?? 0).toBe(units.length);
    }
    const experts = skill.find((one) => one.dimension === dimension)?.experts ?? [];
    for (const { expertId, tasks, alpha: own } of experts) {
      const part = partOf(units, indexOf(world, expertId));
      expect(tasks).toBe(part.length);
      expectClose(own, textbookAlphaOfPart(part, values, scale));
    }
    for (const pair of pairs.filter((one) => one.dimension === dimension)) {
      const two = [indexOf(world, pair.one), indexOf(world, pair.other)];
      const common = units
        .map((unit) => unit.filter(({ expert }) => two.includes(expert)))
        .filter(({ length }) => length === 2);
      expect(pair.tasks).toBe(common.length);
      expectClose(pair.alpha, textbookAlphaOfPart(partOf(common, two[0] ?? -1), values, scale));
    }
  }
}

const indexOf = (world: World, id: bigint) => world.experts.findIndex(({ expertId }) => expertId === id);

type Unit = ReturnType<LiveAnswers['units']>[number];

const partOf = (units: readonly Unit[], who: number): Compared[] =>
  units.flatMap((unit) =>
    unit
      .filter(({ expert }) => expert === who)
      .map(({ said }) => ({
        said,
        others: unit.filter(({ expert }) => expert !== who).map((other) => other.said),
      })),
  );

function expectClose(kept: number | null, textbook: number | null): void {
  if (textbook === null) {
    expect(kept).toBeNull();
  } else {
    expect(kept).toBeCloseTo(textbook, 9);
  }
}

test('an answer that is exchanged for another one is taken out, though its task has as many as before', async () => {
  const world = await makeWorld(t.database, { experts: 3, tasks: 0 });
  const live = new LiveAnswers(t.admin, world);
  await live.open(1);
  await live.turn(0, 0, { choice: 'no' });
  await live.turn(0, 1, { choice: 'yes' });
  await live.turn(0, 2, { choice: 'yes' });
  await live.turn(0, 2, {});
  await fold();
  await live.exchange(0);
  await fold();
  const [choice] = await asAnalyst(world, (tx) => projectAgreement(tx, world.projectId));
  expect(choice).toMatchObject({ tasks: 1, alpha: 1 });
});

test('thrown away and folded anew, all is as it was', async () => {
  const world = await makeWorld(t.database, { experts: 4, tasks: 0 });
  const live = new LiveAnswers(t.admin, world);
  await live.open(3);
  for (const [task, expert] of [
    [0, 0],
    [0, 1],
    [0, 2],
    [1, 0],
    [1, 3],
    [2, 2],
    [2, 1],
    [0, 1],
  ] as const) {
    await live.turn(task, expert, {
      choice: expert % 2 ? 'yes' : 'no',
      text: `${task} ${expert}`,
      length: task + expert,
    });
  }
  await fold();
  const kept = async () => {
    const { rows } = await t.admin.query(
      `select 'cell' as kind, to_jsonb(a)::text as row from agreement_cells a where tenant_id = $1 and pairs <> 0
       union all select 'total', to_jsonb(a)::text from agreement_totals a where tenant_id = $1 and tasks <> 0
       union all select 'value', to_jsonb(a)::text from agreement_values a where tenant_id = $1 and answers <> 0
       union all select 'unit', to_jsonb(a)::text from agreement_units a where tenant_id = $1 order by 1, 2`,
      [world.tenantId],
    );
    return rows;
  };
  const before = await kept();
  expect([...new Set(before.map(({ kind }) => kind))]).toEqual(['cell', 'total', 'unit', 'value']);
  await refoldAgreement(t.database);
  expect(await kept()).toEqual([]);
  await fold();
  expect(await kept()).toEqual(before);
  expect(await broken()).toEqual([]);
});

test('what is submitted is counted when its task is done, and says nothing of whose answers they are to the customer', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 2, project: { redundancy: 2 } });
  for (const expert of [world.ada, world.bob]) {
    for (const choice of ['yes', 'no'] as const) {
      await submit(t.database, expert, {
        ...(await take(t.database, expert)),
        choice: expert === world.bob ? 'yes' : choice,
      });
      await fold();
    }
  }
  const asCustomer = <T>(read: (tx: Queryable) => Promise<T>) =>
    withScope(
      t.database,
      { tenantId: world.tenantId, role: 'CUSTOMER', actorId: null, customerId: world.customer.customerId },
      read,
    );
  const expected = [{ dimension: 'choice', scale: 'NOMINAL', tasks: 2, alpha: 0 }];
  expect(await asCustomer((tx) => projectAgreement(tx, world.projectId))).toMatchObject(expected);
  expect(await asCustomer((tx) => pairAgreement(tx, world.projectId))).toEqual([]);
  expect(await asCustomer((tx) => skillAgreement(tx, world.skillId))).toEqual([]);
  const [seen] = await asAnalyst(world, (tx) => skillAgreement(tx, world.skillId));
  expect(seen?.experts).toMatchObject([
    { expertId: world.ada.expertId, tasks: 2, agreed: 0.5 },
    { expertId: world.bob.expertId, tasks: 2, agreed: 0.5 },
  ]);
});
