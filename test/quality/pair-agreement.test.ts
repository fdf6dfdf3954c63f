import { expect, test } from 'vitest';
import { withScope } from '../../src/services/platform/database.js';
import { pairAgreement } from '../../src/services/quality/reads/pair-agreement.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { plantAnswered } from './support/planted.js';

const t = useTestDb();

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
  const scope = { tenantId: world.tenantId, role: 'ANALYST', actorId: null } as const;
  const pairs = await withScope(t.database, scope, (tx) => pairAgreement(tx, world.projectId));
  const { ada, bob, cyd } = world;
  expect(pairs).toMatchObject([
    { dimension: 'choice', one: ada.expertId, other: bob.expertId, tasks: 50 },
    { one: ada.expertId, other: cyd.expertId, tasks: 1, kappa: 1, interval: null },
  ]);
  expect(pairs[0]?.kappa).toBeCloseTo(0.4, 12);
});
