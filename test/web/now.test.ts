// @once: what it looks at is the same on every PostgreSQL
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { answerNext } from '../support/work.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { useTestSite } from './support/site.js';

describeInBrowser('what goes on just now', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const tag = (page: Page, text: string) => page.locator('h1 .tag').getByText(text);

  test('stays where the server is away, says of when it is, asks less often, and is live again by itself', async () => {
    const world = await makeWorld(t.database, { tasks: 3 });
    await answerNext(t.database, world.ada);
    const page = await (await browser.person()).newPage();
    await enter(page, site, { path: '/now', viewer: world.operator });
    await page.locator('h1 .tag-good').waitFor();
    await page.locator('.happenings li').first().waitFor();
    let asked = 0;
    await page.route('**/graphql', (route) => {
      asked += 1;
      return route.abort();
    });
    await tag(page, 'not live since').waitFor();
    await page.locator('.happenings li').first().waitFor();
    const first = asked;
    await expect.poll(() => asked, { timeout: 20_000 }).toBeGreaterThan(first);
    expect(asked).toBeLessThanOrEqual(6); // every two seconds it would be more
    await page.unroute('**/graphql');
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.locator('h1 .tag-good').waitFor();
    await page.context().close();
  });

  test('is not asked for where nobody looks, and at once when somebody does', async () => {
    const world = await makeWorld(t.database, { tasks: 1 });
    const page = await (await browser.person()).newPage();
    await enter(page, site, { path: '/now', viewer: world.operator });
    await page.locator('h1 .tag-good').waitFor();
    let asked = 0;
    page.on('request', (request) => {
      asked += request.url().endsWith('/graphql') ? 1 : 0;
    });
    await page.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, value: true })");
    await tag(page, 'not live since').waitFor();
    expect(asked).toBeLessThanOrEqual(1); // what was under way
    await page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
    await page.locator('h1 .tag-good').waitFor();
    await page.context().close();
  });
});
