// @once @long: what it looks at is the same on every PostgreSQL
import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import type { World } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';
import { take } from '../support/work.js';
import { answersOf, draftsOf, sitDown } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { useTestSite } from './support/site.js';
import { makeTextWorld, summary } from './support/texts.js';

describeInBrowser('no word is lost', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const field = summary;
  const worldOf = (tasks = 1) => makeTextWorld({ t, site }, { tasks });
  const draft = (world: World) => async () => (await draftsOf(t, world)).join();

  test('when the network is cut in the middle of an answer, and it is given meanwhile', async () => {
    const world = await worldOf();
    const person = await browser.person();
    const page = await person.newPage();
    await sitDown(page, site, world.ada.viewer);
    await field(page).fill('Before the cut');
    await expect.poll(draft(world)).toContain('Before the cut');
    await person.setOffline(true);
    await field(page).fill('Before the cut, and during it');
    await page.getByText('Offline: kept on this device').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Your answer is waiting to be sent').waitFor();
    await person.setOffline(false);
    await expect.poll(() => answersOf(t, world)).toEqual([{ summary: 'Before the cut, and during it' }]);
    await page.getByText('Nothing to do just now').waitFor();
    await person.close();
  });

  test('when the browser’s storage is full: it says so, and what is given is sent all the same', async () => {
    const world = await worldOf();
    const person = await browser.person();
    await person.addInitScript(
      "if (location.pathname === '/work') Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
    );
    const page = await person.newPage();
    await sitDown(page, site, world.ada.viewer);
    await person.setOffline(true);
    await field(page).fill('On this page alone');
    await page.getByText('storage takes nothing: leave this page open').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Do not close it.').waitFor();
    await person.setOffline(false);
    await expect.poll(() => answersOf(t, world)).toEqual([{ summary: 'On this page alone' }]);
    await person.close();
  });

  test('when an answer that waited over a reload is refused: the task is there again, with what is wrong', async () => {
    const world = await worldOf();
    const person = await browser.person();
    const page = await person.newPage();
    await sitDown(page, site, world.ada.viewer);
    await page.route('**/graphql', (route) => route.abort());
    await field(page).fill('long '.repeat(1_100));
    await page.keyboard.press('Control+Enter');
    await page.getByText('Your answer is waiting to be sent').waitFor();
    await page.unroute('**/graphql');
    await page.reload();
    await expect.poll(() => field(page).inputValue()).toBe('long '.repeat(1_100));
    await page.locator('.react-aria-FieldError').waitFor();
    await field(page).fill('Short enough');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => answersOf(t, world)).toEqual([{ summary: 'Short enough' }]);
    await person.close();
  });

  test('when it is no answer yet: JSON in the making, and the note of a flag', async () => {
    const world = await worldOf();
    const person = await browser.person();
    const page = await person.newPage();
    await sitDown(page, site, world.ada.viewer);
    await field(page).fill('Done');
    await page.getByLabel('Data').fill('{"half": ');
    await page.keyboard.press('Control+Enter');
    await page.getByText('This is no JSON yet.').first().waitFor();
    await page.getByRole('button', { name: 'Flag' }).click();
    await page.getByLabel('In your words').fill('Half a note');
    await page.getByRole('button', { name: 'Back to the task' }).click();
    await page.reload();
    await expect.poll(() => page.getByLabel('Data').inputValue()).toBe('{"half": ');
    await page.getByRole('button', { name: 'Flag' }).click();
    expect(await page.getByLabel('In your words').inputValue()).toBe('Half a note');
    expect(await answersOf(t, world)).toEqual([]);
    await person.close();
  });

  test('when two devices wrote without knowing of each other: both versions are shown, whatever their clocks say', async () => {
    const world = await worldOf();
    const [laptop, phone] = [await browser.person(), await browser.person()];
    const asleep = await laptop.newPage();
    await sitDown(asleep, site, world.ada.viewer);
    await laptop.setOffline(true);
    await field(asleep).fill('On the laptop');
    await asleep.getByText('Offline: kept on this device').waitFor();
    await asleep.close();
    const page = await phone.newPage();
    await enter(page, site, { path: '/work', viewer: world.ada.viewer });
    await field(page).fill('On the phone');
    await page.getByText('Saved', { exact: true }).waitFor();
    await phone.close();
    await laptop.setOffline(false);
    const awake = await laptop.newPage();
    await awake.goto(`${site.url}/work`);
    await awake.getByText('Which version do you go on with?').waitFor();
    await field(awake).fill('On the laptop, later');
    await awake.reload();
    await expect.poll(() => field(awake).inputValue()).toBe('On the laptop, later');
    expect((await draftsOf(t, world)).join()).toContain('On the phone');
    await awake.getByRole('button', { name: 'The one from elsewhere' }).click();
    await expect.poll(() => field(awake).inputValue()).toBe('On the phone');
    await laptop.close();
  });

  test('when the server goes away and comes back with a key that ends every token', async () => {
    const world = await worldOf();
    const person = await browser.person();
    const page = await person.newPage();
    await sitDown(page, site, world.ada.viewer);
    await field(page).fill('Typed while it was there');
    await site.stop();
    await field(page).fill('Typed while it was away');
    await page.getByText('Offline: kept on this device').waitFor();
    await site.start({ newKey: true });
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Access token').fill(await site.token(world.bob.viewer));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Sign out first to change who works here').waitFor();
    await page.getByLabel('Access token').fill(await site.token(world.ada.viewer));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(draft(world)).toContain('Typed while it was away');
    await page.getByText('Saved', { exact: true }).waitFor();
    await field(page).press('Control+Enter');
    await expect.poll(() => answersOf(t, world)).toEqual([{ summary: 'Typed while it was away' }]);
    await person.close();
  });

  test('when the lease ends: it is taken back where nobody has it, and else the truth is told beside the work', async () => {
    const world = await worldOf();
    const person = await browser.person();
    const page = await person.newPage();
    await sitDown(page, site, world.ada.viewer);
    await field(page).fill('First part');
    await page.getByText('Saved', { exact: true }).waitFor();
    await t.advance(3600);
    await field(page).fill('First part, second part');
    await page.getByText('Saved', { exact: true }).waitFor();
    const epoch = async () =>
      (await t.admin.query('select epoch from assignments where project_id = $1', [world.projectId])).rows;
    expect(await epoch()).toEqual([{ epoch: 2 }]);
    await t.advance(3600);
    await take(t.database, world.bob);
    await field(page).fill('First part, second part, third part');
    await page.getByRole('heading', { name: 'can no longer be taken back' }).waitFor();
    await page.getByText('First part, second part, third part').waitFor();
    await page.reload();
    await page.getByText('First part, second part, third part').waitFor();
    await page.getByRole('button', { name: 'Next task' }).click();
    await page.getByText('Nothing to do just now').waitFor();
    await page.getByText('Unfinished on this device: 1').click();
    await page.getByText('First part, second part, third part').waitFor();
    await page.getByRole('button', { name: 'Throw it away' }).click();
    await page.getByText('Unfinished on this device').waitFor({ state: 'detached' });
    await person.close();
    await expectRulesHold(t.database);
  });
});
