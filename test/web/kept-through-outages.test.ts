// @once @long: what it looks at is the same on every PostgreSQL
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { escalateTask } from '../../src/services/quality/adjudication/escalate.js';
import { useTestDb } from '../support/db.js';
import { at, makeBatch, makeWorld, type World } from '../support/factories.js';
import { answerNext } from '../support/work.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { useTestSite } from './support/site.js';

/** Longer than any page waits before it asks again. */
const PATIENCE = { timeout: 60_000 };

describeInBrowser('what is on a page', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const openProject = async (world: World): Promise<Page> => {
    const page = await (await browser.person()).newPage();
    await enter(page, site, { path: '/projects', viewer: world.customer.viewer });
    await page.locator('.project-card').getByRole('link').click();
    await page.locator('.batch').first().waitFor();
    return page;
  };
  const askedInVain = (page: Page, query: RegExp) =>
    page.waitForEvent('requestfailed', {
      predicate: (request) => query.test(request.postData() ?? ''),
      ...PATIENCE,
    });

  test('of batches stays while the server is away, and what has come is there on its return', async () => {
    const world = await makeWorld(t.database, { tasks: 2 });
    const page = await openProject(world);
    await page.locator('svg.burn-up').waitFor();
    const vain = askedInVain(page, /query Batches/);
    await site.stop();
    await page.getByText(/^not live since/).waitFor();
    await vain;
    expect(await page.locator('.batch h3').allTextContents()).toHaveLength(1);
    expect(await page.locator('svg.burn-up').count()).toBe(1);
    expect(await page.getByText('could not be loaded').count()).toBe(0);
    await makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 });
    await site.start();
    await expect.poll(() => page.locator('.batch').count(), PATIENCE).toBe(2);
    await page.context().close();
  });

  test('of earnings stays where more cannot be had, and grows again when it can', async () => {
    const world = await makeWorld(t.database, { tasks: 3 });
    await answerNext(t.database, world.ada);
    const page = await (await browser.person()).newPage();
    await enter(page, site, { path: '/earnings', viewer: world.ada.viewer });
    const lines = page.locator('.table tbody tr');
    await expect.poll(() => lines.count()).toBe(1);
    await page.locator('h1 .tag').getByText('live', { exact: true }).waitFor();
    await page.route('**/graphql', (route) => route.abort());
    const vain = askedInVain(page, /query Earnings/);
    await answerNext(t.database, world.ada);
    await vain;
    expect(await lines.count()).toBe(1);
    expect(await page.getByText('could not be loaded').count()).toBe(0);
    await page.unroute('**/graphql');
    await site.stop();
    await page
      .locator('h1')
      .getByText(/^not live since/)
      .waitFor();
    expect(await lines.count()).toBe(1);
    await site.start();
    await answerNext(t.database, world.ada);
    await expect.poll(() => lines.count(), PATIENCE).toBe(3);
    await page.context().close();
  });

  test('of quality is brought up to date as answers come', async () => {
    const world = await makeWorld(t.database, { tasks: 3 });
    const page = await openProject(world);
    const disputed = page.getByText(/ to a stronger expert$/);
    await page.getByText('0 to a stronger expert').waitFor();
    await answerNext(t.database, world.ada);
    const { rows } = await t.admin.query('select task_id from answers where project_id = $1', [
      world.projectId,
    ]);
    await escalateTask(t.database, world.customer.viewer, {
      taskId: BigInt(at(rows, 0).task_id),
      reason: 'It looks odd.',
    });
    await answerNext(t.database, world.ada);
    await page.getByText('1 to a stronger expert').waitFor(PATIENCE);
    expect(await disputed.count()).toBeLessThanOrEqual(1);
    await page.context().close();
  });
});
