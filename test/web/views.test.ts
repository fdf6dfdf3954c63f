// @once @long: what it looks at is the same on every PostgreSQL
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { exampleQueries } from '../../src/http/graphiql/examples.js';
import { useTestDb } from '../support/db.js';
import { makeWorld, type World } from '../support/factories.js';
import { plantGold } from '../support/planted-gold.js';
import { answerNext, take } from '../support/work.js';
import { expectAccessible } from './support/axe.js';
import { sitDown, upload } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { lookAt, picture } from './support/look.js';
import { PAYLOADS } from './support/payloads.js';
import { servedAs } from './support/served.js';
import { useTestSite } from './support/site.js';
import { makeTextWorld, summary } from './support/texts.js';

describeInBrowser('every view is accessible, light and dark, and fits a phone and twice its size:', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const open = async (): Promise<{ person: BrowserContext; page: Page }> => {
    const person = await browser.person({ viewport: { width: 1280, height: 800 } });
    return { person, page: await person.newPage() };
  };

  test('what goes on, and what a role has that has no page', async () => {
    const world = await makeWorld(t.database, { tasks: 3 });
    const { person, page } = await open();
    await enter(page, site, { path: '/now', viewer: world.operator });
    await page.getByText('Nothing in the last minute').waitFor();
    await lookAt(page, 'now-empty');
    await answerNext(t.database, world.ada);
    await take(t.database, world.ada);
    await plantGold(t.admin, world.tenantId);
    await page.locator('.happenings').getByText('gold').first().waitFor();
    expect(await page.locator('.figure').count()).toBe(5);
    await lookAt(page, 'now');
    await page.goto(`${site.url}/tools`);
    await page.getByText('Signed in as operator').waitFor();
    await lookAt(page, 'tools');
    await person.close();
  });

  test('what stands in for the pages while there are none, and the editor of queries', async () => {
    const world = await makeWorld(t.database, { tasks: 1 });
    const { person, page } = await open();
    for (const [name, state] of [
      ['building', { kind: 'BUILDING' }],
      ['not-built', { kind: 'FAILED', reason: 'no space left' }],
    ] as const) {
      await page.goto(await servedAs(state));
      // It comes back by itself, and would do so in the middle of being looked at.
      await page.route('**/*', (route) => route.abort('aborted'));
      await lookAt(page, name);
      await page.unroute('**/*');
    }
    await enter(page, site, { path: '/tools', viewer: world.operator });
    await page.getByText('Signed in as operator').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto(`${site.url}/graphql`);
      await page.locator('.graphiql-execute-button').waitFor();
      await page.getByText('WhoAmI').nth(1).waitFor();
      await page.locator('.graphiql-execute-button').click();
      await page.locator('.graphiql-response').getByText(world.operator.displayName).waitFor();
      expect(await page.locator('.graphiql-tab').count()).toBe(exampleQueries().length);
      await expectAccessible(page);
      await picture(page, `graphiql-${colorScheme}-desktop`);
    }
    await person.close();
  });

  test('the ways in, and where there is nothing', async () => {
    const world = await makeWorld(t.database);
    const { person, page } = await open();
    await page.goto(site.url);
    await page.getByLabel('Access token').waitFor();
    await lookAt(page, 'sign-in');
    await page.goto(`${site.url}/#token=${await site.token(world.customer.viewer)}`);
    await page.getByRole('button', { name: 'Not now' }).waitFor();
    await lookAt(page, 'sign-in-by-link');
    await enter(page, site, { path: '/quality', viewer: world.customer.viewer });
    await page.getByText('is not yours to see').waitFor();
    await lookAt(page, 'forbidden');
    await page.goto(`${site.url}/nowhere`);
    await page.getByText('There is no such page').waitFor();
    await lookAt(page, 'no-such-page');
    await person.close();
  });

  test('each kind of payload', async () => {
    const world = await makeWorld(t.database, { tasks: 0, project: { leaseSeconds: 3600 } });
    await upload({ t, site }, world, PAYLOADS);
    const { person, page } = await open();
    await sitDown(page, site, world.ada.viewer);
    for (const n of PAYLOADS.keys()) {
      await page.locator('.payload .as-it-came').waitFor();
      await lookAt(page, `task-${n}`);
      await page.keyboard.press('1');
      await page.keyboard.press('Enter');
      await page
        .getByText(
          n === PAYLOADS.length - 1 ? 'Nothing to do just now' : `Since you opened this page: ${n + 1}`,
        )
        .waitFor();
    }
    await lookAt(page, 'work-empty');
    await person.close();
  });

  test('the workbench’s dialogs, and two versions of one answer', async () => {
    const world = await makeTextWorld({ t, site });
    const { person, page } = await open();
    await enter(page, site, { path: '/work', viewer: world.ada.viewer });
    await page.getByRole('button', { name: 'Take a task' }).waitFor();
    await lookAt(page, 'work-ready');
    await page.keyboard.press('Enter');
    await summary(page).waitFor();
    for (const [button, name] of [
      ['Flag', 'flag'],
      ['Give back', 'give-back'],
      ['Keys', 'keys'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').waitFor();
      await lookAt(page, `dialog-${name}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await person.setOffline(true);
    await summary(page).fill('On the laptop');
    await page.getByText('Offline: kept on this device').first().waitFor();
    await lookAt(page, 'work-offline');
    await page.close();
    await onThePhone(world);
    await person.setOffline(false);
    const again = await person.newPage();
    await again.setViewportSize({ width: 1280, height: 800 });
    await again.goto(`${site.url}/work`);
    await again.getByText('Which version do you go on with?').waitFor();
    await lookAt(again, 'work-two-versions');
    await person.close();
  });

  async function onThePhone(world: World): Promise<void> {
    const { person, page } = await open();
    await enter(page, site, { path: '/work', viewer: world.ada.viewer });
    await summary(page).fill('On the phone');
    await page.getByText('Saved', { exact: true }).waitFor();
    await person.close();
  }

  test('what may come between tasks', async () => {
    const world = await makeTextWorld({ t, site });
    const { person, page } = await open();
    await sitDown(page, site, world.ada.viewer);
    const second = await person.newPage();
    await second.goto(`${site.url}/work`);
    await second.getByText('You are working in another tab').waitFor();
    await lookAt(second, 'work-other-tab');
    await second.close();
    await summary(page).fill('A text that took a while');
    await page.getByText('Saved', { exact: true }).waitFor();
    await t.advance(3_600);
    await take(t.database, world.bob);
    await summary(page).fill('A text that took a while, and more');
    await page.getByRole('heading', { name: 'can no longer be taken back' }).waitFor();
    await lookAt(page, 'work-lost');
    await page.getByRole('button', { name: 'Next task' }).click();
    await page.getByText('Unfinished on this device').click();
    await lookAt(page, 'work-unfinished');
    await page.route('**/graphql', (route) =>
      route.fulfill({ status: 400, contentType: 'application/json', body: '{"errors":[{"message":"No."}]}' }),
    );
    await page.reload();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await lookAt(page, 'failed');
    await person.close();
  });

  test('an answer that waits, and a session that has ended', async () => {
    const world = await makeTextWorld({ t, site });
    const { person, page } = await open();
    await sitDown(page, site, world.ada.viewer);
    await person.setOffline(true);
    await summary(page).fill('Waits');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Your answer is waiting to be sent').waitFor();
    await lookAt(page, 'work-sending');
    await site.stop();
    await site.start({ newKey: true });
    await person.setOffline(false);
    await page.getByText('Your session has ended').waitFor();
    await lookAt(page, 'session-ended');
    await person.close();
  });

  test('an expert’s own pages, empty and full', async () => {
    const world = await makeWorld(t.database, { tasks: 3, experts: 2 });
    for (const [who, viewer] of [
      ['full', world.ada.viewer],
      ['empty', world.bob.viewer],
    ] as const) {
      if (who === 'full') {
        await answerNext(t.database, world.ada);
        await answerNext(t.database, world.ada);
      }
      const { person, page } = await open();
      await enter(page, site, { path: '/earnings', viewer });
      for (const name of ['Earnings', 'Quality', 'History']) {
        await page.getByRole('link', { name }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        await page.locator('.loading').waitFor({ state: 'detached' });
        await lookAt(page, `${name.toLowerCase()}-${who}`);
      }
      await person.close();
    }
  });

  test('a customer’s pages', async () => {
    const world = await makeWorld(t.database, {
      tasks: 5,
      project: { deadline: new Date(Date.now() + 86_400_000) },
    });
    await answerNext(t.database, world.ada);
    const { person, page } = await open();
    await enter(page, site, { path: '/projects', viewer: world.customer.viewer });
    await page.locator('.project-card').getByText('live', { exact: true }).waitFor();
    await lookAt(page, 'projects');
    await page.locator('.project-card').getByRole('link').click();
    await page.locator('svg.burn-up').waitFor();
    const file = Buffer.from('{"id":"new-1","q":1}\nnot JSON\n');
    const chosen = { name: 'tuesday.jsonl', mimeType: 'application/x-ndjson', buffer: file };
    await page.locator('input[type=file]').setInputFiles(chosen);
    await page.getByText('Line 2: The row is not valid JSON').waitFor();
    await lookAt(page, 'project-upload');
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('Stored: 1 task can be claimed.').waitFor();
    await page.locator('.uploaded').getByText('1 row is no task').click();
    await lookAt(page, 'project');
    await person.close();
  });
});
