// @once: what it looks at is the same on every PostgreSQL
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { answerNext } from '../support/work.js';
import { expectAccessible } from './support/axe.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { useTestSite } from './support/site.js';

describeInBrowser('a customer’s day', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  /** The page of a world's customer, whose one project is found by keyboard. */
  async function openProject(world: Awaited<ReturnType<typeof makeWorld>>, page: Page): Promise<void> {
    await enter(page, site, { path: '/', viewer: world.customer.viewer });
    const card = page.locator('.project-card');
    await card.getByText('live', { exact: true }).waitFor();
    await card.getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Burn-up' }).waitFor();
  }

  test('sees projects at a glance and one as it comes, brings work by file, and takes the answers away', async () => {
    const world = await makeWorld(t.database, { tasks: 3 });
    const person = await browser.person();
    const page = await person.newPage();
    const violations: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) {
        violations.push(message.text());
      }
    });
    await openProject(world, page);
    await page.locator('svg.burn-up').waitFor();
    await expectAccessible(page);
    await answerNext(t.database, world.ada);
    await page.getByText(/^1 of 3;/).waitFor();

    const file = '{"id":"new-1","q":1}\nnot JSON\n{"payload":"x","misspelt":1}\n';
    await page.locator('input[type=file]').setInputFiles({
      name: 'tuesday.jsonl',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(file),
    });
    await page.getByText('Line 2: The row is not valid JSON').waitFor();
    await expectAccessible(page);
    expect(await page.getByLabel('Name of the batch').inputValue()).toBe('tuesday');
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('Stored: 1 task can be claimed.').waitFor();
    await page.locator('.uploaded').getByText('2 rows are no tasks').click();
    await page.getByText(/Line 3: The row has an unknown field "misspelt"/).waitFor();
    await page.getByRole('heading', { name: 'tuesday' }).waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Answers, CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^project-.*-answers\.csv$/);
    expect((await readFile(await download.path(), 'utf8')).trim().split('\n')).toHaveLength(2);
    expect(violations).toEqual([]);
    await person.close();
  });

  test('is told that it is not live while the server is gone, and sees on its return what has come', async () => {
    const world = await makeWorld(t.database, { tasks: 2 });
    const person = await browser.person({ colorScheme: 'dark', viewport: { width: 360, height: 740 } });
    const page = await person.newPage();
    await openProject(world, page);
    await page.getByText('live', { exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await expectAccessible(page);
    await site.stop();
    await page.getByText(/^not live since/).waitFor();
    await answerNext(t.database, world.ada);
    await site.start();
    await page.getByText(/^1 of 2;/).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await person.close();
  });

  test('is live again after an outage in which nothing happened: one project, all of them, earnings, quality', async () => {
    const world = await makeWorld(t.database, { tasks: 2 });
    const customer = await browser.person();
    const projects = await customer.newPage();
    await openProject(world, projects);
    const project = await customer.newPage();
    await project.goto(projects.url());
    await projects.goto(`${site.url}/projects`);
    const expert = await browser.person();
    const earnings = await expert.newPage();
    await enter(earnings, site, { path: '/earnings', viewer: world.ada.viewer });
    await earnings.locator('h1 .tag').waitFor();
    const quality = await expert.newPage();
    await quality.goto(`${site.url}/quality`);
    const pages = [project, projects, earnings, quality];
    const say = (words: RegExp) => Promise.all(pages.map((page) => page.getByText(words).first().waitFor()));
    await say(/^live$/);
    await site.stop();
    await say(/^not live since/);
    await site.start();
    await say(/^live$/);
    await customer.close();
    await expert.close();
  });

  test('an expert is told that projects are not theirs, and nobody is shown another customer’s', async () => {
    const [mine, other] = [await makeWorld(t.database), await makeWorld(t.database)];
    const person = await browser.person();
    const page = await person.newPage();
    await enter(page, site, { path: '/projects', viewer: mine.ada.viewer });
    await page.getByText('is not yours to see').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    await openProject(other, page);
    const address = page.url();
    const stays = await person.newPage();
    await stays.goto(address);
    await stays.getByRole('heading', { name: 'Burn-up' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await stays.getByLabel('Access token').waitFor(); // nothing of theirs stays in the other tab either
    await page.getByLabel('Access token').waitFor();
    const tab = await person.newPage();
    await enter(tab, site, { path: new URL(address).pathname, viewer: mine.customer.viewer });
    await tab.getByText('There is no such project').waitFor();
    await page.goto(`${site.url}/nowhere`);
    await page.getByText('There is no such page').waitFor();
    await tab.evaluate(
      `localStorage.setItem('touchstone.token', '${await site.token(other.customer.viewer)}')`,
    );
    await page.waitForURL(`${site.url}/projects`);
    await person.close();
  });
});
