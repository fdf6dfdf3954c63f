// @once: what it looks at is the same on every PostgreSQL
import { expect, test } from 'vitest';
import type { Viewer } from '../../src/services/access/viewer.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { answerNext } from '../support/work.js';
import { expectAccessible } from './support/axe.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { useTestSite } from './support/site.js';

describeInBrowser('signing in', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  test('takes a printed token, refuses a bad one, shows an expert’s pages, and leaves nothing behind', async () => {
    const world = await makeWorld(t.database, { tasks: 2 });
    await answerNext(t.database, world.ada);
    const person = await browser.person();
    const page = await person.newPage();
    const violations: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) {
        violations.push(message.text());
      }
    });
    await page.goto(`${site.url}/earnings`);
    await page.getByLabel('Access token').fill('eyno.such.token');
    await page.keyboard.press('Enter');
    await page.getByText('does not take this token').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Access token').fill(`  EXPERT     ${await site.token(world.ada.viewer)}`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('€0.25').first().waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    for (const name of ['Quality', 'History', 'Earnings']) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await expectAccessible(page);
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    expect(await page.evaluate('localStorage.getItem("touchstone.token")')).toBeNull();
    expect(violations).toEqual([]);
    await person.close();
  });

  test('tells a customer that an expert’s page is not theirs, and anybody that there is no such page', async () => {
    const world = await makeWorld(t.database);
    const person = await browser.person({ colorScheme: 'dark' });
    const page = await person.newPage();
    await enter(page, site, { path: '/quality', viewer: world.customer.viewer });
    await page.getByText('is not yours to see').waitFor();
    expect(page.url()).not.toContain('token');
    await expectAccessible(page);
    await page.goto(`${site.url}/nowhere`);
    await page.getByText('There is no such page').waitFor();
    await person.close();
  });

  test('a link signs nobody in unasked, leaves no token in the address, and changes who is here only on a yes', async () => {
    const world = await makeWorld(t.database);
    const person = await browser.person();
    const page = await person.newPage();
    const token = () => page.evaluate<string | null>("localStorage.getItem('touchstone.token')");
    const link = async (viewer: Viewer) => `${site.url}/#token=${await site.token(viewer)}`;
    await page.goto(await link(world.ada.viewer));
    await page.getByRole('heading', { name: `Sign in as ${world.ada.viewer.displayName}?` }).waitFor();
    expect([page.url(), await token()]).toEqual([`${site.url}/`, null]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByLabel('Access token').waitFor();
    await enter(page, site, { path: '/', viewer: world.ada.viewer });
    await page.getByRole('button', { name: 'Take a task' }).waitFor();
    const before = await token();
    await page.goto(await link(world.customer.viewer));
    await page.getByRole('button', { name: 'Stay as you are' }).click();
    await page.getByRole('button', { name: 'Take a task' }).waitFor();
    expect([page.url().includes('token'), await token()]).toEqual([false, before]);
    await enter(page, site, { path: '/', viewer: world.customer.viewer });
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await page.goto(`${site.url}/#token=eyno.such.token`);
    await page.getByText('This link signs nobody in').waitFor();
    await person.close();
  });
});
