import { expect, test } from 'vitest';
import { setExpertSkill } from '../../src/services/access/people.js';
import { updateExpert } from '../../src/services/access/profile.js';
import { scopeOf } from '../../src/services/access/viewer.js';
import { withScope } from '../../src/services/platform/database.js';
import { NO_REQUIREMENT } from '../../src/services/projects/requirement.js';
import { pauseExpert } from '../../src/services/routing/pauses.js';
import { suggestedExperts } from '../../src/services/routing/suggestions.js';
import { useTestDb } from '../support/db.js';
import {
  makeBatch,
  makeExpert,
  makeProject,
  makeSkill,
  makeWorld,
  type World,
} from '../support/factories.js';

const t = useTestDb();

const suggested = ({ operator, tenantId, skillId }: World) =>
  withScope(t.database, scopeOf(operator), (tx) => suggestedExperts(tx, { tenantId, skillId }));

test('an expert who is paused in that skill only, and not one who is paused altogether', async () => {
  const world = await makeWorld(t.database, { experts: 2 });
  const { ada, bob, skillId, operator } = world;
  const pause = { reason: 'r', withdraw: false };
  await pauseExpert(t.database, operator, { ...pause, expertId: ada.expertId, skillId });
  await pauseExpert(t.database, operator, { ...pause, expertId: bob.expertId, skillId });
  await pauseExpert(t.database, operator, { ...pause, expertId: bob.expertId, skillId: null });
  expect(await suggested(world)).toMatchObject([{ expertId: ada.expertId, kind: 'PAUSED_SKILL' }]);
});

test('an expert a little below the minimum of what waits, and not one far below', async () => {
  const world = await makeWorld(t.database, { quality: 0.75, project: { minQuality: 0.8 } });
  const { skillId } = world;
  await makeExpert(t.database, world, [{ skillId, quality: 0.5 }]);
  await makeExpert(t.database, world, [{ skillId, quality: 0.8 }]);
  expect(await suggested(world)).toMatchObject([
    { expertId: world.ada.expertId, kind: 'BELOW_MINIMUM', quality: 0.75, minQuality: 0.8 },
  ]);
});

test('an expert whose profile lacks one language or tag, and not one whose lacks two', async () => {
  const requirement = { ...NO_REQUIREMENT, languages: ['de'], tags: ['nda'] };
  const world = await makeWorld(t.database, { experts: 3, project: { requirement } });
  const { ada, cyd, operator } = world;
  await updateExpert(t.database, operator, { expertId: ada.expertId, languages: ['de'] });
  const fits = { expertId: cyd.expertId, languages: ['de', 'en'], tags: ['nda'] };
  await updateExpert(t.database, operator, fits);
  expect(await suggested(world)).toMatchObject([
    { expertId: ada.expertId, kind: 'NEARLY_FITS', missing: 'nda' },
  ]);
});

test('an expert who lacks one further skill of what waits', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 0 });
  const [latin, greek] = [await makeSkill(t.database, world), await makeSkill(t.database, world)];
  const projectId = await makeProject(t.database, world, {
    requirement: { ...NO_REQUIREMENT, allOf: [latin] },
  });
  await makeBatch(t.database, world, { projectId, tasks: 1 });
  expect(await suggested(world)).toMatchObject([{ expertId: world.ada.expertId, kind: 'NEARLY_FITS' }]);
  await makeExpert(t.database, world, [{ skillId: world.skillId }, { skillId: latin }, { skillId: greek }]);
  expect(await suggested(world)).toHaveLength(1);
});

test('an expert of a skill that most hold together with this one, once three do', async () => {
  const world = await makeWorld(t.database, { experts: 3 });
  const { operator, experts } = world;
  const beside = await makeSkill(t.database, world);
  const far = await makeSkill(t.database, world);
  const neighbour = await makeExpert(t.database, world, [{ skillId: beside }]);
  await makeExpert(t.database, world, [{ skillId: far }]);
  const give = (expertId: bigint) =>
    setExpertSkill(t.database, operator, {
      expertId,
      skillId: beside,
      status: 'ACTIVE',
      qualityMean: 0.9,
      qualityLower: 0.8,
    });
  const [one, two, three] = experts.map(({ expertId }) => expertId);
  await give(one ?? 0n);
  await give(two ?? 0n);
  expect(await suggested(world)).toEqual([]);
  await give(three ?? 0n);
  expect(await suggested(world)).toMatchObject([{ expertId: neighbour.expertId, kind: 'NEIGHBOUR' }]);
});

test('nobody where nothing waits', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const pause = { reason: 'r', withdraw: false, expertId: world.ada.expertId, skillId: world.skillId };
  await pauseExpert(t.database, world.operator, pause);
  expect(await suggested(world)).toEqual([]);
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 });
  expect(await suggested(world)).toHaveLength(1);
});
