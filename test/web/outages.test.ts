// @once @long: what it looks at is the same on every PostgreSQL
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import type { World } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';
import { answersOf, draftsOf, sitDown } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { useTestSite } from './support/site.js';
import { makeTextWorld, summary } from './support/texts.js';

describeInBrowser('an answer outlives', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const draft = (world: World) => async () => (await draftsOf(t, world)).join();
  const expectAnswer = (world: World, text: string) =>
    expect.poll(() => answersOf(t, world)).toEqual([{ summary: text }]);
  const begin = async (options?: { leaseSeconds: number }): Promise<{ world: World; page: Page }> => {
    const world = await makeTextWorld({ t, site }, options);
    const page = await (await browser.person()).newPage();
    await sitDown(page, site, world.ada.viewer);
    return { world, page };
  };

  test('a server that is killed in the middle of it, and comes back', async () => {
    const world = await makeTextWorld({ t, site });
    await site.stop();
    const first = await site.startProcess();
    const page = await (await browser.person()).newPage();
    await sitDown(page, site, world.ada.viewer);
    await summary(page).fill('Typed while it was there');
    await expect.poll(draft(world)).toContain('while it was there');
    await summary(page).fill('Typed while it was there, and as it was killed');
    await first.kill();
    await page.getByText('Offline: kept on this device').first().waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Your answer is waiting to be sent').waitFor();
    const second = await site.startProcess();
    await expectAnswer(world, 'Typed while it was there, and as it was killed');
    await page.getByText('Nothing to do just now').waitFor();
    await page.context().close();
    await second.kill();
    await site.start();
    await expectRulesHold(t.database);
  });

  test('ninety seconds without a network, past the end of its lease', async () => {
    const { world, page } = await begin({ leaseSeconds: 60 });
    await summary(page).fill('Before the cut');
    await expect.poll(draft(world)).toContain('Before the cut');
    await page.context().setOffline(true);
    await summary(page).fill('Before the cut, and long into it');
    await t.advance(90);
    await page.getByText('Offline: kept on this device').first().waitFor();
    await page.context().setOffline(false);
    await page.getByText('Saved', { exact: true }).waitFor();
    const { rows } = await t.admin.query('select epoch from assignments where project_id = $1', [
      world.projectId,
    ]);
    expect(rows).toEqual([{ epoch: 2 }]);
    await page.keyboard.press('Control+Enter');
    await expectAnswer(world, 'Before the cut, and long into it');
    await page.context().close();
    await expectRulesHold(t.database);
  });

  test('the end of its token', async () => {
    const world = await makeTextWorld({ t, site });
    const page = await (await browser.person()).newPage();
    const { viewer } = world.ada;
    await page.goto(`${site.url}/work`);
    await page.getByLabel('Access token').fill(await site.token(viewer, 4));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Take a task' }).press('Enter');
    await summary(page).fill('Typed before the token ended');
    const end = page.getByText('Your session has ended');
    const isSaid = async () => {
      await summary(page)
        .press('.', { timeout: 500 })
        .catch(() => undefined); // Behind what is said nothing is typed.
      return end.isVisible();
    };
    await expect.poll(isSaid, { interval: 500 }).toBe(true);
    expect(await draft(world)()).not.toContain('and given after it');
    await page.getByLabel('Access token').fill(await site.token(viewer));
    await page.getByRole('button', { name: 'Sign in' }).press('Enter');
    await summary(page).fill('Typed before the token ended, and given after it');
    await page.keyboard.press('Control+Enter');
    await expectAnswer(world, 'Typed before the token ended, and given after it');
    await page.context().close();
  });

  test('a crash of its tab', async () => {
    const { world, page } = await begin();
    await summary(page).pressSequentially('Every key of it');
    const crashed = page.waitForEvent('crash');
    await page.goto('chrome://crash').catch(() => undefined); // as it crashes nothing is loaded
    await crashed;
    const next = await page.context().newPage();
    await next.goto(`${site.url}/work`);
    await expect.poll(() => summary(next).inputValue()).toBe('Every key of it');
    await summary(next).press('End');
    await next.keyboard.type(', and more');
    await next.keyboard.press('Control+Enter');
    await expectAnswer(world, 'Every key of it, and more');
    await page.context().close();
  });

  test('a receipt that is lost on its way: it is given once, and paid once', async () => {
    const { world, page } = await begin();
    let lost = 0;
    await page.route('**/graphql', async (route) => {
      const isSubmit = route.request().postData()?.includes('submit(input') ?? false;
      if (isSubmit && lost < 2) {
        lost += 1;
        await route.fetch();
        await route.abort();
      } else {
        await route.continue();
      }
    });
    await summary(page).fill('Given once');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Nothing to do just now').waitFor();
    expect(lost).toBe(2);
    await expectAnswer(world, 'Given once');
    const { rows } = await t.admin.query('select count(*)::int as count from payouts where project_id = $1', [
      world.projectId,
    ]);
    expect(rows).toEqual([{ count: 1 }]);
    await page.context().close();
    await expectRulesHold(t.database);
  });

  test('a network that answers with a page of its own: the form stays, and it is saved once that is over', async () => {
    const { world, page } = await begin();
    await page
      .context()
      .route('**/graphql', (route) =>
        route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Sign in to the hotel</h1>' }),
      );
    await summary(page).fill('In a hotel');
    await page.getByText('Not saved, tried again by itself').first().waitFor();
    await summary(page).fill('In a hotel, and going on');
    expect(await draft(world)()).not.toContain('hotel');
    await page.context().unroute('**/graphql');
    await expect.poll(draft(world)).toContain('and going on');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.context().close();
  });

  test('a machine that slept past its lease: the page knows on waking, without a network too', async () => {
    const { world, page } = await begin();
    await summary(page).fill('Before the lid was closed');
    await expect.poll(draft(world)).toContain('Before the lid');
    await page.context().setOffline(true);
    // The clock of the page stands still in sleep, that of the wall goes on.
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 3_600_000; }');
    await page.getByText('The time is over; it is asked for again when you are back online').waitFor();
    await t.advance(3_600);
    await page.context().setOffline(false);
    await page.getByText(/min left/).waitFor();
    expect(await summary(page).inputValue()).toBe('Before the lid was closed');
    await page.context().close();
  });
});
