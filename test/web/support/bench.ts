import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Viewer } from '../../../src/services/access/viewer.js';
import { createBatch, type InlineTask } from '../../../src/services/projects/batches.js';
import type { TestDb } from '../../support/db.js';
import { unique, type World } from '../../support/factories.js';
import { enter } from './enter.js';
import type { TestSite } from './site.js';

/** Uploads tasks with payloads that can be read, and waits until they can be claimed. */
export async function upload(
  { t, site }: { t: TestDb; site: TestSite },
  world: World,
  tasks: readonly InlineTask[],
): Promise<void> {
  const parts = { db: t.database, store: site.app.payloads };
  const { projectId } = world;
  const input = { projectId, name: unique('batch'), deadline: null, idempotencyKey: unique('key'), tasks };
  const { batchId } = await createBatch(parts, world.operator, input);
  await expect.poll(() => openTasks(t, batchId)).toBe(tasks.length);
}

async function openTasks(t: TestDb, batchId: bigint): Promise<number> {
  const { rows } = await t.admin.query<{ count: number }>(
    "select count(*)::int as count from tasks where batch_id = $1 and state = 'OPEN'",
    [batchId],
  );
  return rows[0]?.count ?? 0;
}

/** Signs in and takes the first task. */
export async function sitDown(page: Page, site: TestSite, viewer: Viewer): Promise<void> {
  await enter(page, site, { path: '/work', viewer });
  await page.getByRole('button', { name: 'Take a task' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('How sure are you?').waitFor();
  await page.locator('.payload').waitFor();
}

/** What the server keeps of unfinished work in a project, as it was sent. */
export async function draftsOf(t: TestDb, { projectId }: World): Promise<string[]> {
  const { rows } = await t.admin.query<{ body: string }>(
    `select d.body::text as body from drafts d join assignments a on a.tenant_id = d.tenant_id and a.id = d.assignment_id
     where a.project_id = $1`,
    [projectId],
  );
  return rows.map(({ body }) => body);
}

/** Every answer of a project, in the order in which they came. */
export async function answersOf(t: TestDb, { projectId }: World): Promise<unknown[]> {
  const { rows } = await t.admin.query<{ body: string }>(
    'select body::text as body from answers where project_id = $1 order by submitted_at',
    [projectId],
  );
  return rows.map(({ body }) => JSON.parse(body));
}

/** Nothing is cut off or has to be scrolled sideways. */
export async function expectToFit(page: Page): Promise<void> {
  const { wide, shown } = await page.evaluate<{ wide: number; shown: number }>(
    '({ wide: document.documentElement.scrollWidth, shown: innerWidth })',
  );
  expect(wide).toBeLessThanOrEqual(shown);
}
