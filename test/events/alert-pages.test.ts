import { expect, test } from 'vitest';
import { scopeOf } from '../../src/services/access/viewer.js';
import { alertPage, clearAlerts } from '../../src/services/events/alerts/alerts.js';
import { withScope } from '../../src/services/platform/database.js';
import { pauseExpert, resumeExpert } from '../../src/services/routing/pauses.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';

// How alerts are listed, and how long they are kept.

const t = useTestDb();
const DAY = 86_400;

test('pages go from the newest on, filters hold, and what ended a year ago is gone', async () => {
  const world = await makeWorld(t.database, { experts: 3 });
  const { operator, experts } = world;
  for (const { expertId } of experts) {
    await pauseExpert(t.database, operator, { expertId, skillId: null, reason: 'r', withdraw: false });
  }
  await resumeExpert(t.database, operator, { expertId: world.ada.expertId, skillId: null, reason: 'r' });
  const any = { states: null, kinds: null, projectId: null, withoutGold: true } as const;
  const page = (filter: object, afterId: bigint | null = null) =>
    withScope(t.database, scopeOf(operator), (tx) =>
      alertPage(tx, { ...any, ...filter }, { take: 2, afterId }),
    );
  const first = await page({});
  expect(first.map(({ expertId }) => expertId)).toEqual([world.cyd.expertId, world.bob.expertId]);
  const rest = await page({}, first.at(-1)?.id);
  expect(rest.map(({ expertId }) => expertId)).toEqual([world.ada.expertId]);
  expect(await page({ states: ['RESOLVED'] })).toHaveLength(1);
  expect(await page({ states: ['OPEN'], kinds: ['EXPERT_PAUSED'] })).toHaveLength(2);
  expect(await page({ kinds: ['BATCH_FAILED'] })).toEqual([]);
  await t.advance(366 * DAY);
  await clearAlerts(t.database);
  expect((await page({})).map(({ resolvedAt }) => resolvedAt)).toEqual([null, null]);
});
