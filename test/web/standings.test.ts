// @once: what it looks at is the same on every PostgreSQL
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { tellBars } from '../../src/services/quality/scores/newcomers.js';
import { foldScores, mixed, plantGradings, settle } from '../quality/support/graded.js';
import { useTestDb } from '../support/db.js';
import { makeWorld, type World } from '../support/factories.js';
import { expectAccessible } from './support/axe.js';
import { expectToFit } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { lookAt } from './support/look.js';
import { useTestSite } from './support/site.js';

const DAY_SECONDS = 86_400;

describeInBrowser('the line about quality in a skill', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const open = async (): Promise<{ world: World; page: Page }> => {
    const world = await makeWorld(t.database, { tasks: 1 });
    const page = await (await browser.person({ viewport: { width: 1280, height: 800 } })).newPage();
    await enter(page, site, { path: '/quality', viewer: world.ada.viewer });
    await page.locator('h1 .tag').getByText('live', { exact: true }).waitFor();
    return { world, page };
  };
  const standing = (page: Page) => page.locator('.skill .tag').first();
  /** Results that come into effect at once. */
  const grade = async (world: World, of: number, right: number) => {
    await plantGradings(t.admin, { world, expert: world.ada }, mixed(of, right));
    await fold();
  };
  const fold = async () => {
    await foldScores(t);
    await settle(t);
  };

  test('tells of a warning, a pause, a re-test and its end as each comes, in words', async () => {
    const { world, page } = await open();
    const notices = page.locator('.skill').last().locator('li');
    await standing(page).getByText('working').waitFor();
    await grade(world, 20, 4);
    await standing(page).getByText('paused').waitFor();
    await page.getByText('Too few of your latest answers were right.').first().waitFor();
    await notices.getByText('warned. Too few').waitFor();
    await t.advance(DAY_SECONDS);
    await fold();
    await standing(page).getByText('being tested again').waitFor();
    await page.getByText('How you do is looked at afresh').first().waitFor();
    await lookAt(page, 'quality-retest');
    await t.advance(60);
    await grade(world, 12, 12);
    await standing(page).getByText('working').waitFor();
    await notices.getByText('working. You passed the test.').waitFor();
    expect(await page.locator('#root').textContent()).not.toMatch(/[A-Z]{3,}_[A-Z]/); // no code of ours is shown to people
    await expectAccessible(page);
    await page.context().close();
  });

  test('says that all there is to do asks for more, and no longer once the bar is reached', async () => {
    const { world, page } = await open();
    const asksForMore = page.getByText('Everything there is to do here asks for more');
    const lower = (to: number) =>
      t.admin.query('update expert_skills set quality_lower = $2 where tenant_id = $1', [world.tenantId, to]);
    const told = async () => {
      while (await tellBars(t.database, 500));
    };
    await lower(0.6);
    await t.admin.query('update skills set least_bar = 0.7 where tenant_id = $1', [world.tenantId]);
    await told();
    await asksForMore.waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page);
    await lower(0.75);
    await told();
    await asksForMore.waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('tells no estimate as certain, and stays where the server is away', async () => {
    const { world, page } = await open();
    await t.admin.query(
      `insert into shown_scores (tenant_id, expert_id, skill_id, as_of, seen, mean, lower, upper, last_right, last_of, probability_below)
       values ($1, $2, $3, app.clock_now(), 400, .9999, .9965, 1, 20, 20, 0)`,
      [world.tenantId, world.ada.expertId, world.skillId],
    );
    await page.reload();
    await page.locator('.scores li').first().waitFor();
    expect(await page.locator('.scores').first().textContent()).not.toMatch(/\b(100|0)\s?%/);
    await page.route('**/graphql', (route) => route.abort());
    const refused = page.waitForEvent('requestfailed', (request) =>
      /query Quality/.test(request.postData() ?? ''),
    );
    await grade(world, 20, 2);
    await refused;
    await page.locator('.scores li').first().waitFor();
    expect(await page.getByText('could not be loaded').count()).toBe(0);
    await page.context().close();
  });
});
