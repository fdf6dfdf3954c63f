// @once: what it looks at is the same on every PostgreSQL
import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { answerNext } from '../support/work.js';
import { expectAccessible } from './support/axe.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
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
    await page.getByRole('button', { name: 'Sign in' }).click();
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
    await page.goto(`${site.url}/quality#token=${await site.token(world.customer.viewer)}`);
    await page.getByText('is not yours to see').waitFor();
    expect(page.url()).not.toContain('token');
    await expectAccessible(page);
    await page.goto(`${site.url}/nowhere`);
    await page.getByText('There is no such page').waitFor();
    await person.close();
  });
});
