import { expect, test } from 'vitest';
import { keepScores } from '../../../src/services/quality/scores/keep.js';
import { decideFinding, findingsOf } from '../../../src/services/quality/watching/findings.js';
import { watchExperts } from '../../../src/services/quality/watching/watch-experts.js';
import { randomOf } from '../../soak/random.js';
import { useTestDb } from '../../support/db.js';
import { makeViewer, makeWorld, type World } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { emptyReason, outcome } from '../../support/work.js';
import { type GoldAnswer, plantGoldAnswers } from '../support/golden.js';
import { type PlantedVote, plantAnswered } from '../support/planted.js';

// The watch over experts in the database; what it thinks of numbers has its own tests beside this one.
const t = useTestDb();
const GOLDS = 20;
const EXPERTS = 6;
const AGAIN_SECONDS = 301;

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

/** Looks at everything that is due. */
async function watch(): Promise<void> {
  while (await watchExperts(t.database));
}

const kept = ({ tenantId }: World) =>
  rows('select id, kind, experts, evidence from gold_findings where tenant_id = $1 order by id', [tenantId]);

/** The answers of one expert to each gold, right but for every so many. */
const goldOf = (
  expert: number,
  { seconds, wrongEvery }: { seconds: number; wrongEvery: number },
): GoldAnswer[] =>
  Array.from({ length: GOLDS }, (_, gold) => ({
    expert,
    gold,
    label: (gold + expert) % wrongEvery === wrongEvery - 1 ? 'no' : 'yes',
    // (Not all the same, as nobody's times are.)
    seconds: seconds * (0.7 + (gold % 7) / 10),
  }));

/** Tasks of four answers each, whose truth is yes; each expert is right so often. */
function tasksOf(count: number, accuracies: readonly number[]): PlantedVote[][] {
  const random = randomOf(11);
  return Array.from({ length: count }, (_, task) =>
    [0, 1, 2, 3].map((place) => {
      const expert = (task + place) % accuracies.length;
      const isRight = random() < (accuracies[expert] ?? 1);
      return { expert, label: isRight ? 'yes' : random() < 0.5 ? 'no' : 'unsure', confidence: null };
    }),
  );
}

const honest = Array.from({ length: EXPERTS }, () => 0.9);

/** Ordinary tasks take twenty to forty seconds. */
async function plantTasks(world: World, tasks: readonly PlantedVote[][]): Promise<void> {
  await plantAnswered(t.admin, world, tasks);
  await t.admin.query(
    `update assignments set leased_at = submitted_at - make_interval(secs => 20 + (hashint8(id) & 1023) % 21)
     where tenant_id = $1 and customer_id <> 0`,
    [world.tenantId],
  );
}

/** Ada answers gold in five seconds and all right; bob as anybody does. */
async function knowingAda(): Promise<{ world: World; golds: bigint[] }> {
  const world = await makeWorld(t.database, { experts: EXPERTS, tasks: 0 });
  const answers = [
    ...goldOf(0, { seconds: 5, wrongEvery: 99 }),
    ...goldOf(1, { seconds: 30, wrongEvery: 7 }),
  ];
  await plantTasks(world, tasksOf(40, honest));
  return { world, golds: await plantGoldAnswers(t, world, { golds: GOLDS, answers }) };
}

const voidedOf = ({ tenantId }: World, expertId: bigint) =>
  numberOf(
    t.admin,
    `select count(*) from voided_gradings v join gradings g on g.tenant_id = v.tenant_id and g.id = v.grading_id
     where v.tenant_id = $1 and g.expert_id = $2`,
    [tenantId, expertId],
  );

test('who is quick and right on gold is found, once; the gold is ended and says nothing of them, but of others', async () => {
  const { world, golds } = await knowingAda();
  await watch();
  const [found, ...more] = await kept(world);
  expect(more).toEqual([]);
  expect(found).toMatchObject({ kind: 'QUICK_ON_GOLD', experts: [String(world.ada.expertId)] });
  const ended = await rows('select distinct state, reason from golds where tenant_id = $1', [world.tenantId]);
  expect(ended).toEqual([{ state: 'RETIRED', reason: 'LEAKED' }]);
  expect(await voidedOf(world, world.ada.expertId)).toBe(golds.length);
  expect(await voidedOf(world, world.bob.expertId)).toBe(0);
  while ((await keepScores(t.database, 50)) === 50);
  const seen = await rows('select expert_id, seen from quality_scores where tenant_id = $1', [
    world.tenantId,
  ]);
  expect(seen).toEqual([{ expert_id: String(world.bob.expertId), seen: GOLDS }]);

  await plantGoldAnswers(t, world, { golds: GOLDS, answers: goldOf(0, { seconds: 4, wrongEvery: 99 }) });
  await t.advance(AGAIN_SECONDS);
  await watch();
  expect(await kept(world)).toHaveLength(1);
  expect(await voidedOf(world, world.ada.expertId)).toBe(2 * GOLDS);
});

test('what an operator dismissed is not told again and has no consequences; a customer or expert is told nothing', async () => {
  const { world } = await knowingAda();
  await watch();
  const analyst = await makeViewer(t.database, world, { role: 'ANALYST' });
  const filter = { projectId: world.projectId, expertId: world.ada.expertId, isOpen: true };
  const page = { take: 5, afterId: null };
  const [finding, ...others] = await findingsOf(t.database, analyst, { filter, page });
  expect(others).toEqual([]);
  expect(finding?.summary).toContain('s for gold (median of 20)');
  expect(finding?.figures.map(({ name }) => name)).toContain('z');
  const findingId = finding?.id ?? 0n;
  const dismissal = { findingId, reason: 'Knows the subject.', made: { decision: 'DISMISSED' } } as const;
  await decideFinding(t.database, world.operator, dismissal);
  await decideFinding(t.database, world.operator, dismissal);
  expect(await findingsOf(t.database, analyst, { filter, page })).toEqual([]);
  const [decided] = await findingsOf(t.database, analyst, { filter: { ...filter, isOpen: false }, page });
  expect(decided?.decisions).toMatchObject([{ decision: 'DISMISSED', reason: 'Knows the subject.' }]);
  expect(await findingsOf(t.database, world.customer.viewer, { filter, page })).toEqual([]);
  expect(await outcome(findingsOf(t.database, world.ada.viewer, { filter, page }))).toBe('FORBIDDEN');
  expect(await outcome(decideFinding(t.database, world.ada.viewer, dismissal))).toBe('FORBIDDEN');

  const before = await voidedOf(world, world.ada.expertId);
  await plantGoldAnswers(t, world, { golds: GOLDS, answers: goldOf(0, { seconds: 4, wrongEvery: 99 }) });
  await t.advance(AGAIN_SECONDS);
  await watch();
  expect(await kept(world)).toHaveLength(1);
  expect(await voidedOf(world, world.ada.expertId)).toBe(before);
});

test('an operator pauses an expert from a finding that names them, and nobody else from it', async () => {
  const { world } = await knowingAda();
  await watch();
  const [finding] = await kept(world);
  const pause = (expertId: bigint) =>
    decideFinding(t.database, world.operator, {
      findingId: BigInt(finding.id),
      reason: 'Knows the gold.',
      made: { decision: 'PAUSED', expertId, withdraw: false },
    });
  expect(await outcome(pause(world.bob.expertId))).toBe('NOT_FOUND');
  await pause(world.ada.expertId);
  expect(await emptyReason(t.database, world.ada)).toBe('PAUSED');
  expect(await emptyReason(t.database, world.bob)).not.toBe('PAUSED');
});

test('who is better on gold than their peers say is found, and nothing else moves for it', async () => {
  const world = await makeWorld(t.database, { experts: EXPERTS, tasks: 0 });
  await plantTasks(world, tasksOf(150, [0.4, ...honest.slice(1)]));
  const answers = Array.from({ length: EXPERTS }, (_, n) =>
    goldOf(n, { seconds: 30, wrongEvery: n === 0 ? 99 : 9 }),
  );
  await plantGoldAnswers(t, world, { golds: GOLDS, answers: answers.flat() });
  await watch();
  const found = await kept(world);
  expect(found).toMatchObject([{ kind: 'PEER_GAP', experts: [String(world.ada.expertId)] }]);
  expect(found[0].evidence).toMatchObject({ goldRight: 20, goldSeen: 20, compared: expect.any(Number) });
  expect(
    await numberOf(t.admin, 'select count(*) from voided_gradings where tenant_id = $1', [world.tenantId]),
  ).toBe(0);
  const live = `select count(*) from golds where tenant_id = $1 and state = 'ACTIVE'`;
  expect(await numberOf(t.admin, live, [world.tenantId])).toBe(GOLDS);
});

test('a ring is found by the wrong answers that it shares, in gold too, and is told once', async () => {
  const world = await makeWorld(t.database, { experts: EXPERTS, tasks: 0 });
  const random = randomOf(4);
  const tasks = tasksOf(
    120,
    honest.map(() => 0.75),
  ).map((votes) => {
    const shared = random() < 0.6 ? 'yes' : random() < 0.5 ? 'no' : 'unsure';
    return votes.map((vote) => (vote.expert < 2 ? { ...vote, label: shared } : vote));
  });
  await plantTasks(world, tasks);
  await plantGoldAnswers(t, world, {
    golds: GOLDS,
    answers: [0, 1, 2].flatMap((n) => goldOf(n, { seconds: 30, wrongEvery: 4 })),
  });
  await watch();
  await plantGoldAnswers(t, world, {
    golds: 2,
    answers: [{ expert: 0, gold: 0, label: 'yes', seconds: 30 }],
  });
  await t.advance(AGAIN_SECONDS);
  await watch();
  const rings = (await kept(world)).filter(({ kind }) => kind === 'SHARED_ERRORS');
  expect(rings).toHaveLength(1);
  expect(rings[0].experts).toEqual([world.ada, world.bob].map(({ expertId }) => String(expertId)));
});

test('a look has a bound and goes on where it ended, and tenants take turns', async () => {
  const many = await makeWorld(t.database, { experts: 60, tasks: 0 });
  const few = await makeWorld(t.database, { experts: 1, tasks: 0 });
  const once = (expert: number): GoldAnswer => ({ expert, gold: expert % 2, label: 'yes', seconds: 30 });
  await watch();
  await plantGoldAnswers(t, many, { golds: 2, answers: many.experts.map((_, n) => once(n)) });
  await plantGoldAnswers(t, few, { golds: 1, answers: [once(0)] });
  const looks = async () =>
    rows(
      'select tenant_id, has_more from project_watches where tenant_id = any ($1::bigint[]) and looked_at is not null order by tenant_id',
      [[many.tenantId, few.tenantId]],
    );
  expect(await watchExperts(t.database)).toBe(true);
  expect(await looks()).toEqual([{ tenant_id: String(many.tenantId), has_more: true }]);
  expect(await watchExperts(t.database)).toBe(true);
  expect(await looks()).toHaveLength(2);
  expect(await watchExperts(t.database)).toBe(true);
  expect((await looks())[0]).toMatchObject({ has_more: false });
  expect(await watchExperts(t.database)).toBe(false);
});

test('the watch does not wait for who is at the figures of agreement', async () => {
  await knowingAda();
  await t.admin.query('begin');
  try {
    await t.admin.query('select app.fold_agreement(1)');
    expect(await watchExperts(t.database)).toBe(true);
  } finally {
    await t.admin.query('rollback');
  }
});
