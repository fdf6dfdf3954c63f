// @once @long: what it looks at is the same on every PostgreSQL
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld, type World } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';
import { expectAccessible } from './support/axe.js';
import { answersOf, expectToFit, sitDown, upload } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { useTestSite } from './support/site.js';

const RUBRIC = {
  kind: 'RUBRIC',
  criteria: [
    { name: 'correctness', label: 'Is it true?', min: 1, max: 5 },
    { name: 'clarity', label: 'Is it clear?', min: 1, max: 5 },
  ],
};
/** Everything that would be trouble if it were more than text. */
const HOSTILE = `<h1>Report</h1><script>parent.document.title = 'taken'; alert(1)</script>
<img src="x" onerror="parent.document.title = 'taken'"><form action="https://example.com"><button>Go</button></form>
<iframe src="https://example.com"></iframe><a href="javascript:parent.document.title='taken'">click</a>`;

describeInBrowser('the workbench', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  test('a day by keyboard alone: scores, notes, a flag, a task given back, and why there is no more', async () => {
    const world = await makeWorld(t.database, {
      tasks: 0,
      definition: RUBRIC,
      project: { leaseSeconds: 3600 },
    });
    await upload({ t, site }, world, [
      { payload: { code: 'print(1)', language: 'python' } },
      {
        payload: {
          messages: [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: 'Hello' },
          ],
        },
      },
      { payload: { left: 'one two three', right: 'one two four' } },
    ]);
    const person = await browser.person({ viewport: { width: 1280, height: 800 } });
    const page = await person.newPage();
    await sitDown(page, site, world.ada.viewer);
    await page.keyboard.press('Enter'); // nothing is answered yet
    await page.getByText('“Is it true?” is not answered yet.').first().waitFor();
    await page.keyboard.press('4');
    await page.keyboard.press('5');
    await page.keyboard.press('c');
    await page.getByLabel('Note on Is it clear?').fill('Short.');
    await expectAccessible(page);
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(() => answersOf(t, world))
      .toEqual([{ scores: { correctness: 4, clarity: 5 }, notes: { clarity: 'Short.' } }]);
    await page.getByText('Since you opened this page: 1').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('f');
    await page.getByRole('dialog').waitFor();
    await page.getByText('More than one answer is right').click();
    await page.getByRole('button', { name: 'Flag it' }).press('Enter');
    await page.getByText('Since you opened this page: 2').waitFor();
    await page.keyboard.press('b');
    await page.getByRole('button', { name: 'Give it back' }).press('Enter');
    await page.getByText('Ready when you are').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.locator('.payload').waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('2');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing to do just now').waitFor();
    await page.getByText('Asked again by itself').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Earnings' }).click();
    await page.getByText('€0.50').first().waitFor();
    await person.close();
    await expectRulesHold(t.database);
  });

  test('one tab works at a time, and the words go with whoever takes over, reloads or comes back', async () => {
    const world = await makeWorld(t.database, {
      tasks: 0,
      definition: RUBRIC,
      project: { leaseSeconds: 3600 },
    });
    await upload({ t, site }, world, [{ payload: 'A text.' }]);
    const person = await browser.person();
    const first = await person.newPage();
    await sitDown(first, site, world.ada.viewer);
    await note(first).fill('Written in the first tab');
    const second = await person.newPage();
    await second.goto(`${site.url}/work`);
    await second.getByRole('button', { name: 'Work here instead' }).click();
    await expect.poll(() => note(second).inputValue()).toBe('Written in the first tab');
    await first.getByText('You are working in another tab').waitFor();
    await note(second).fill('Written in the second');
    await second.close();
    await expect.poll(() => note(first).inputValue()).toBe('Written in the second');
    await first.reload();
    await expect.poll(() => note(first).inputValue()).toBe('Written in the second');
    await person.close();
  });

  test('hostile HTML stays in its frame, and five megabytes are found through', async () => {
    const world = await makeWorld(t.database, { tasks: 0, project: { leaseSeconds: 3600 } });
    const lines = Array.from(
      { length: 120_000 },
      (_, n) => `Line ${n}: ${n === 90_000 ? 'NEEDLE' : 'nothing'} at some length.`,
    );
    const text = lines.join('\n');
    const tasks = [
      { payload: HOSTILE, contentType: 'text/html' },
      {
        payload: `# Title\n\n${HOSTILE}\n\n[link](javascript:alert(1)) ![picture](https://example.com/p.png)`,
        contentType: 'text/markdown',
      },
      { payload: { code: 'print(1)', language: 'constructor' } },
      { payload: JSON.parse('['.repeat(60) + ']'.repeat(60)) },
      { payload: 'Stands for a long one.', contentType: 'text/plain' },
    ];
    await upload({ t, site }, world, tasks);
    await putLongText(world, text);
    const person = await browser.person({ viewport: { width: 1280, height: 800 } });
    const page = await person.newPage();
    const strangers: string[] = [];
    const dialogs: string[] = [];
    page.on('request', (request) => {
      if (!/^(http:\/\/127\.0\.0\.1|blob:|data:|about:)/.test(request.url())) {
        strangers.push(request.url());
      }
    });
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await sitDown(page, site, world.ada.viewer);
    for (let seen = 0; seen < tasks.length; seen++) {
      await lookAt(page);
      expect(await page.title()).toBe('Touchstone');
      await page.keyboard.press('1');
      await page.keyboard.press('Enter');
      await page
        .getByText(
          seen === tasks.length - 1 ? 'Nothing to do just now' : `Since you opened this page: ${seen + 1}`,
        )
        .waitFor();
    }
    expect({ strangers, dialogs }).toEqual({ strangers: [], dialogs: [] });
    await person.close();
  });

  test('fits a phone and a page at twice its size, in the dark as well', async () => {
    const world = await makeWorld(t.database, {
      tasks: 0,
      definition: RUBRIC,
      project: { leaseSeconds: 3600 },
    });
    await upload({ t, site }, world, [{ payload: { left: 'word '.repeat(300), right: 'w'.repeat(400) } }]);
    const person = await browser.person({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    const page = await person.newPage();
    await sitDown(page, site, world.ada.viewer);
    await page.getByRole('heading', { name: 'Right' }).waitFor();
    await expectToFit(page);
    await page.getByRole('button', { name: 'Show what differs' }).click();
    await expectAccessible(page);
    await page.setViewportSize({ width: 640, height: 400 }); // 1280 × 800 at 200 %
    await expectToFit(page);
    for (const name of ['Earnings', 'Quality', 'History']) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await expectToFit(page);
    }
    await person.close();
  });

  const note = (page: Page) => page.getByLabel('Note on Is it true?');

  /** The tasks come in any order. */
  async function lookAt(page: Page): Promise<void> {
    await page.locator('.sandboxed, .markdown h1, .document-text, [data-find]').first().waitFor();
    if ((await page.locator('.sandboxed').count()) > 0) {
      await page.frameLocator('.sandboxed').getByRole('heading', { name: 'Report' }).waitFor();
    } else if ((await page.locator('[data-find]').count()) > 0) {
      // (Keys are heard once the page has drawn its five megabytes.)
      const isInFind = async () => {
        await page.keyboard.press('/');
        return page.evaluate(
          () =>
            document.activeElement?.closest('[data-find], .find') !== null &&
            document.activeElement instanceof HTMLInputElement,
        );
      };
      await expect.poll(isInFind).toBe(true);
      await page.keyboard.press('Control+A');
      await page.keyboard.type('needle');
      await page.getByText('1 of 1').waitFor({ timeout: 60_000 });
      await page.locator('h1').first().click();
    } else {
      expect(
        await page.locator('.payload img, .payload script, .payload iframe, .payload form').count(),
      ).toBe(0);
      expect(await page.locator('.payload a[href^="javascript"]').count()).toBe(0);
    }
  }

  /** `createBatch` takes a megabyte in all, a file eight a row. */
  async function putLongText({ tenantId, projectId }: World, text: string): Promise<void> {
    expect(text.length).toBeGreaterThan(4_000_000);
    const { key, bytes } = await site.app.payloads.put(tenantId, Buffer.from(text));
    await t.admin.query(
      "update tasks set payload_key = $2, payload_bytes = $3 where project_id = $1 and content_type like 'text/plain%'",
      [projectId, key, bytes],
    );
  }
});
