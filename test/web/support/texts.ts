import type { Page } from 'playwright-core';
import type { TestDb } from '../../support/db.js';
import { makeWorld, type World } from '../../support/factories.js';
import { upload } from './bench.js';
import type { TestSite } from './site.js';

/** A free form: a summary that must be given, and data. */
const TEXT = {
  kind: 'FREE_FORM',
  schema: {
    type: 'object',
    properties: { summary: { type: 'string', maxLength: 5000 }, data: { type: 'object' } },
    required: ['summary'],
    additionalProperties: false,
  },
};

/** A world in which texts are summed up, by two experts, with so many of them to be claimed. */
export async function makeTextWorld(
  { t, site }: { t: TestDb; site: TestSite },
  { tasks = 1, leaseSeconds = 600 } = {},
): Promise<World> {
  const world = await makeWorld(t.database, {
    tasks: 0,
    experts: 2,
    definition: TEXT,
    project: { leaseSeconds },
  });
  await upload(
    { t, site },
    world,
    Array.from({ length: tasks }, (_, n) => ({ payload: `Text ${n}` })),
  );
  return world;
}

export const summary = (page: Page) => page.getByLabel('Summary');
