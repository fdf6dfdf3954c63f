// @once: what it looks at is the same on every PostgreSQL
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld, type World } from '../support/factories.js';
import { expectAccessible } from './support/axe.js';
import { expectToFit } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { useTestSite } from './support/site.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Files that are nothing to upload, and what is said of each. */
const NOTHING: readonly (readonly [name: string, content: string | Buffer, said: string, why: string])[] = [
  [
    'u16.csv',
    Buffer.from('\ufeffid,q\n1,a\n', 'utf16le'),
    'is UTF-16: save it as UTF-8 first',
    'Nothing of this file',
  ],
  ['photo.png', PNG, 'is a picture (PNG) and no text', 'Nothing of this file'],
  [
    'sheet.csv',
    'id,"q\n1,a\n2,b\n',
    'a quote that is opened in line 1 and never closed',
    'Nothing of this file',
  ],
  ['none.jsonl', 'one\ntwo\n', 'Line 2: The row is not valid JSON', 'No row of this file is a task'],
  ['list.json', '[{"id":1},\n{"id":2}]\n', 'Line 1: The row is not', 'write one object a line instead'],
  ['empty.jsonl', '', 'The upload has no rows.', 'Nothing of this file'],
  ['excel.csv', 'id;q\n1;a\n2;b\n', 'save the file with commas between its columns', 'Nothing of this file'],
];

const MANY_FAULTS = {
  'rows.jsonl': [
    '{"id":"a","q":1}',
    '{"payload":"x","misspelt":1}',
    'not JSON',
    '',
    '[1]',
    '{"payload":"x","externalId":"a"}',
    '{"payload":"x","redundancy":1000}',
    '{"payload":{"n":12345678901234567890}}',
    '{"payload":"\u202egnp","contentType":"text"}',
  ].join('\n'),
  'rows.csv': 'id,q\n1,a\n1,b\n2\n3,a"b\n4,"two\nlines"\n5,"x"y\n"six\n6","never closed,7\n8,c\n',
};

describeInBrowser('an upload', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const open = async (): Promise<{ world: World; page: Page }> => {
    const world = await makeWorld(t.database, { tasks: 1 });
    const page = await (await browser.person({ viewport: { width: 360, height: 740 } })).newPage();
    await enter(page, site, { path: '/projects', viewer: world.customer.viewer });
    await page.locator('.project-card').getByRole('link').click();
    await page.getByRole('heading', { name: 'Upload a batch' }).waitFor();
    return { world, page };
  };
  const choose = (page: Page, name: string, content: string | Buffer) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
  const button = (page: Page) => page.getByRole('button', { name: 'Upload', exact: true });

  test('of a file in which there is no task is off, and it is said why, and what to do', async () => {
    const { page } = await open();
    for (const [name, content, said, why] of NOTHING) {
      await choose(page, name, content);
      await page.locator('.preview').getByText(said).first().waitFor();
      await page.locator('.upload-form').getByText(why).waitFor();
      expect(await button(page).isDisabled(), name).toBe(true);
      await expectToFit(page);
      await page.getByRole('button', { name: 'Choose another file' }).click();
    }
    await choose(page, 'none.jsonl', 'one\n');
    await page.locator('.preview').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await choose(page, 'one.jsonl', 'one\n{"id":1}\n');
    await page.getByText('1 row will be left out; the others are taken.').waitFor();
    expect(await button(page).isDisabled()).toBe(false);
    await page.getByLabel('Name of the batch').fill(' ');
    await page.getByText('A batch has a name.').waitFor();
    expect(await button(page).isDisabled()).toBe(true);
    await page.context().close();
  });

  test.each(Object.entries(MANY_FAULTS))(
    'of %s is told beforehand what the server says of each row',
    async (name, content) => {
      const { page } = await open();
      await choose(page, name, content);
      await page.locator('.preview .faults li').first().waitFor();
      const promised = await page.evaluate<
        string[]
      >(`[...document.querySelectorAll('.preview .faults li')].map((row) => {
      row.querySelector('code').remove();
      return row.textContent.trim();
    })`);
      expect(promised.length).toBeGreaterThan(3);
      await button(page).click();
      await page.getByText(/^Stored:/).waitFor();
      await page.locator('.uploaded summary').click();
      const rows = page.locator('.uploaded .faults li');
      await rows.first().waitFor();
      expect((await rows.allTextContents()).map((row) => row.trim())).toEqual(promised);
      await expectToFit(page);
      await page.context().close();
    },
  );

  test('of a document of five megabytes brings all of it', async () => {
    const { world, page } = await open();
    const text = 'A line of a long report.\n'.repeat(210_000);
    await choose(page, 'long.jsonl', JSON.stringify({ payload: text, contentType: 'text/plain' }));
    await button(page).click();
    await page.getByText('Stored: 1 task can be claimed.').waitFor();
    const { rows } = await t.admin.query(
      'select payload_bytes::int as bytes from tasks where tenant_id = $1 order by id desc limit 1',
      [world.tenantId],
    );
    expect(rows).toEqual([{ bytes: text.length }]);
    await page.context().close();
  });

  test('that the server refuses is told in its words, and stays to be sent again', async () => {
    const { page } = await open();
    await choose(page, 'one.jsonl', '{"id":1}\n');
    await page.getByLabel('Deadline').fill('2001-01-01T12:00');
    await button(page).click();
    await page.getByRole('alert').getByText('This instant is past.').waitFor();
    await page.getByLabel('Deadline').fill('2040-01-01T12:00');
    await button(page).click();
    await page.getByText('Stored: 1 task can be claimed.').waitFor();
    await page.context().close();
  });

  test('of a file that has changed since it was looked at says so', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'touchstone-changed-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'changing.jsonl');
    await writeFile(path, '{"id":1}\n');
    const { page } = await open();
    await page.locator('input[type=file]').setInputFiles(path);
    await page.locator('.preview').waitFor();
    await writeFile(path, '{"id":1}\n{"id":2}\n');
    await button(page).click();
    await page.getByText('The file has changed since it was looked at').waitFor();
    await page.context().close();
  });

  test('of which nothing could be read leaves a burn-up that says why it is empty, and what to do', async () => {
    const world = await makeWorld(t.database, { tasks: 0 });
    const { rows } = await t.admin.query('select count(*)::int as count from batches where project_id = $1', [
      world.projectId,
    ]);
    const page = await (await browser.person({ viewport: { width: 360, height: 740 } })).newPage();
    await enter(page, site, { path: '/projects', viewer: world.customer.viewer });
    await page.locator('.project-card').getByRole('link').click();
    await page.getByRole('heading', { name: 'Upload a batch' }).waitFor();
    const token = await site.token(world.customer.viewer);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const sent = await fetch(`${site.url}/v1/projects/${id}/batches?name=tuesday&format=csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': 'one-picture' },
      body: PNG,
    });
    expect(sent.status).toBeLessThan(300);
    await expect
      .poll(
        async () =>
          (await t.admin.query(`select 1 from batches where name = 'tuesday' and state = 'FAILED'`)).rowCount,
      )
      .toBe(1);
    await page.reload();
    const figure = page.locator('.burn-up-figure');
    await figure.getByText('tuesday: The upload is a picture (PNG) and no text').waitFor();
    await figure.getByText('Mend the file and upload it again below').waitFor();
    expect(await page.locator('svg.burn-up').count()).toBe(0);
    expect(rows[0].count).toBeLessThanOrEqual(1);
    await expectToFit(page);
    await expectAccessible(page);
    await page.context().close();
  });
});
