import { expect, test } from 'vitest';
import { setRedundancy } from '../../src/services/projects/redundancy.js';
import { between, oneOf, randomOf } from '../soak/random.js';
import { useTestDb } from '../support/db.js';
import { CHOICES, type Expert, makeBatch, makeWorld } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';
import { claim, submit } from '../support/work.js';

// Rule 2 where what a task wants moves with its answers: a crowd that claims and submits at once never overshoots, no slot
// is lost, and every task ends.
const t = useTestDb();

const POLICIES = [
  { kind: 'AGREE', agree: 2, max: 4 },
  { kind: 'POSTERIOR', posterior: 0.95, min: 2, max: 5, errorCostMinor: 200 },
] as const;

test.each(POLICIES)('a crowd that answers as it likes overshoots no task under $kind', async (policy) => {
  const world = await makeWorld(t.database, { experts: 16, tasks: 0, quality: 0.85 });
  const { projectId, operator, experts } = world;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  await makeBatch(t.database, world, { projectId, tasks: 12 });
  await Promise.all(experts.map((expert, index) => answerAll(expert, index)));
  await expectRulesHold(t.database);
  // Whoever stopped while others were at work may have left a slot that was opened after.
  for (let answered = 1; answered > 0; ) {
    answered = 0;
    for (const [index, expert] of experts.entries()) {
      answered += await answerAll(expert, 100 + index);
    }
  }
  await expectRulesHold(t.database);
  const { rows } = await t.admin.query(
    `select t.state, t.wanted, t.counted, t.kind from tasks t where t.tenant_id = $1`,
    [world.tenantId],
  );
  expect(rows.filter(({ kind }) => kind === 'WORK')).toHaveLength(12);
  expect(rows.every(({ state, wanted, counted }) => state === 'DONE' && wanted === counted)).toBe(true);
  expect(Math.max(...rows.map(({ wanted }) => wanted))).toBeLessThanOrEqual(policy.max);
  expect(new Set(rows.map(({ wanted }) => wanted)).size).toBeGreaterThan(1);
});

/** Claims and answers until there is nothing more for this expert; returns how often. */
async function answerAll(expert: Expert, seed: number): Promise<number> {
  const random = randomOf(seed);
  for (let answered = 0; ; answered++) {
    const result = await claim(t.database, expert);
    if ('empty' in result) {
      return answered;
    }
    const choice = between(random, 1, 10) <= 6 ? 'yes' : oneOf(random, CHOICES);
    await submit(t.database, expert, { ...result.held, choice });
  }
}
