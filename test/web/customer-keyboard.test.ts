// @once @long: what it looks at is the same on every PostgreSQL
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld, type World } from '../support/factories.js';
import { answerNext } from '../support/work.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { useTestSite } from './support/site.js';

const FOCUSED = `(() => {
  const { activeElement: at } = document;
  return [at.getAttribute('aria-label'), at.labels?.[0]?.textContent, at.textContent].find(Boolean)?.trim() ?? '';
})()`;

/** Goes on by Tab until what has the focus is called so. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 60) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate<string>(FOCUSED);
    if (name.test(at)) {
      return;
    }
    passed.push(at.slice(0, 30));
  }
  throw new Error(`Tab never comes to ${name}; it came by ${passed.join(', ')}`);
}

async function press(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** A file of one task and one row that is none, as a person would have it. */
async function fileOnDisk(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-upload-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'tuesday.jsonl');
  await writeFile(path, '{"id":"new-1","q":1}\nnot JSON\n');
  return path;
}

/** Files arrive, and what the server says to them does not. */
const LOSE_ANSWERS = `(() => {
  const lost = { configurable: true, set() { this.addEventListener('load', () => this.onerror()); } };
  Object.defineProperty(XMLHttpRequest.prototype, 'onload', lost);
  globalThis.hearAnswers = () => delete XMLHttpRequest.prototype.onload;
})()`;

describeInBrowser('a customer', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const batchesOf = async ({ projectId }: World) =>
    (await t.admin.query('select name from batches where project_id = $1 order by id', [projectId])).rows.map(
      ({ name }) => name,
    );

  test('has a whole day by keyboard alone', async () => {
    const world = await makeWorld(t.database, { tasks: 3 });
    await answerNext(t.database, world.ada);
    const person = await browser.person();
    const page = await person.newPage();
    await page.goto(site.url);
    await page.getByLabel('Access token').waitFor();
    await page.keyboard.insertText(await site.token(world.customer.viewer));
    await press(page, /^Sign in$/);
    await page.locator('.project-card').waitFor();
    await press(page, /^project-/);
    await page.getByRole('heading', { name: 'Burn-up' }).waitFor();
    await press(page, /The same as a table/);
    await page.getByRole('table').waitFor();
    const chooser = page.waitForEvent('filechooser');
    await press(page, /^choose one$/);
    await (await chooser).setFiles(await fileOnDisk());
    await page.getByText('Line 2: The row is not valid JSON').waitFor();
    await tabTo(page, /^Name of the batch/);
    await page.keyboard.press('End');
    await page.keyboard.type(', by hand');
    await press(page, /^Upload$/);
    await page.getByText('Stored: 1 task can be claimed.').waitFor();
    await press(page, /1 row is no task/);
    await page
      .locator('.uploaded')
      .getByText(/^Line 2:/)
      .waitFor();
    await page.getByRole('heading', { name: 'tuesday, by hand' }).waitFor();
    const download = page.waitForEvent('download');
    await press(page, /^Answers, JSONL$/);
    expect((await download).suggestedFilename()).toMatch(/-answers\.jsonl$/);
    await press(page, /^Sign out$/);
    await page.getByLabel('Access token').waitFor();
    await person.close();
  });

  test('sends a file again after a lost answer, and a reload, and has one batch; a second one only if they say so', async () => {
    const world = await makeWorld(t.database, { tasks: 1 });
    const path = await fileOnDisk();
    const person = await browser.person();
    const page = await person.newPage();
    await enter(page, site, { path: '/projects', viewer: world.customer.viewer });
    await page.locator('.project-card').getByRole('link').click();
    const choose = () => page.locator('input[type=file]').setInputFiles(path);
    const send = () => page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.evaluate(LOSE_ANSWERS);
    await choose();
    await send();
    await page.getByText('The server cannot be reached. Nothing is lost').waitFor();
    await page.reload();
    await choose();
    await send();
    await page.getByText('Stored: 1 task can be claimed.').waitFor();
    expect(await batchesOf(world)).toHaveLength(2);
    await page.evaluate(LOSE_ANSWERS);
    await choose();
    await send();
    await page.getByText('The server cannot be reached. Nothing is lost').waitFor();
    await page.evaluate('hearAnswers()');
    await page.getByLabel('Name of the batch').fill('another name');
    await send();
    await page.getByText('This file is there already').waitFor();
    await page.getByRole('button', { name: 'Upload as another batch' }).click();
    await page.getByText('Stored: 1 task can be claimed.').waitFor();
    expect((await batchesOf(world)).slice(1)).toEqual(['tuesday', 'tuesday', 'another name']);
    await person.close();
  });

  test('sees how far a file is, and can stop it', async () => {
    const world = await makeWorld(t.database, { tasks: 1 });
    const person = await browser.person();
    const page = await person.newPage();
    await enter(page, site, { path: '/projects', viewer: world.customer.viewer });
    await page.locator('.project-card').getByRole('link').click();
    await page.route('**/v1/projects/**', () => undefined); // hangs
    await page.locator('input[type=file]').setInputFiles(await fileOnDisk());
    await page.getByLabel('Deadline').fill('2040-01-01T12:00');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('progressbar', { name: 'How much of the file is sent' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    await page.unroute('**/v1/projects/**');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('Stored: 1 task can be claimed.').waitFor();
    expect(await batchesOf(world)).toHaveLength(2);
    await person.close();
  });

  test('with more batches than are shown sees the newest first, and the others on request', async () => {
    const world = await makeWorld(t.database, { tasks: 1 });
    await t.admin.query(
      `insert into batches (tenant_id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count,
                            idempotency_key, content_digest, stored_at)
       select b.tenant_id, b.project_id, b.customer_id, 'later ' || n, b.state, b.format, b.raw_key, b.raw_bytes, b.rows_done, b.task_count,
              'later ' || n, b.content_digest, b.stored_at
       from batches b cross join generate_series(1, 55) n where b.id = $1`,
      [world.batchId],
    );
    const person = await browser.person();
    const page = await person.newPage();
    await enter(page, site, { path: '/projects', viewer: world.customer.viewer });
    await page.locator('.project-card').getByRole('link').click();
    await page.getByText('The newest 50 batches are shown').waitFor();
    expect(await page.locator('.batch h3').first().textContent()).toBe('later 55');
    await page.getByRole('button', { name: 'Older batches' }).click();
    await page.getByText('6 older batches are shown').waitFor();
    await expect.poll(() => page.locator('.batch h3').last().textContent()).toMatch(/^batch-/);
    await person.close();
  });
});
