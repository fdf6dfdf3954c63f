// @once: what it looks at is the same on every PostgreSQL
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { InlineTask } from '../../src/services/projects/batches.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { sitDown, upload } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { useTestSite } from './support/site.js';

/** What is marked on the page just now: every place, and the one that one stands at. */
const MARKED =
  "({ all: [...(CSS.highlights.get('found') ?? [])].map(String), here: [...(CSS.highlights.get('found-here') ?? [])].map(String) })";

const FILLER = 'Some words that nobody is after, and some more of them. ';

describeInBrowser('one find for whatever a task shows:', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const open = async (task: InlineTask): Promise<Page> => {
    const world = await makeWorld(t.database, { tasks: 0, project: { leaseSeconds: 3600 } });
    await upload({ t, site }, world, [task]);
    const page = await (await browser.person({ viewport: { width: 1280, height: 800 } })).newPage();
    await sitDown(page, site, world.ada.viewer);
    return page;
  };
  const find = async (page: Page, sought: string, told: string) => {
    await page.keyboard.press('/');
    await page.locator('[data-find]').fill(sought);
    await page.locator('.find output').getByText(told, { exact: true }).waitFor();
  };
  const marked = (page: Page) => page.evaluate<{ all: string[]; here: string[] }>(MARKED);

  test('Markdown, across bold words and the ends of lines, but not from one paragraph into the next', async () => {
    const payload = `# Of lamps\n\nThe **kee**per\nlit the lamp.\n\nkeeper\n\nlit ${FILLER}`;
    const page = await open({ payload, contentType: 'text/markdown' });
    await page.locator('.markdown h1').waitFor();
    await find(page, 'KEEPER lit', '1 of 1');
    expect((await marked(page)).all).toEqual(['keeper\nlit']);
    await find(page, 'keeper', '1 of 2');
    await page.keyboard.press('Enter');
    await page.getByText('2 of 2').waitFor();
    expect((await marked(page)).here).toEqual(['keeper']);
    await page.keyboard.press('Escape');
    await page.locator('[data-find]').waitFor({ state: 'detached' });
    expect(await marked(page)).toEqual({ all: [], here: [] });
    await page.keyboard.press('?'); // the page has its keys again
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.context().close();
  });

  test('programs, across their colours', async () => {
    const page = await open({ payload: { code: `def add(a, b):\n    return a + b\n`, language: 'python' } });
    await page.locator('.hljs-keyword').first().waitFor();
    await find(page, 'def add(a', '1 of 1');
    expect((await marked(page)).all).toEqual(['def add(a']);
    await page.context().close();
  });

  test('JSON, in parts that were folded up and behind the first two hundred entries', async () => {
    const list = Array.from({ length: 400 }, (_, n) => ({ n, deep: { deeper: { word: `word ${n}` } } }));
    const page = await open({ payload: { list } });
    await page.locator('.json-line').first().waitFor();
    expect(await page.getByText('word 399').count()).toBe(0);
    await find(page, 'word 399', '1 of 1');
    await page.getByText('"word 399"').waitFor();
    expect((await marked(page)).here).toEqual(['word 399']);
    await page.context().close();
  });

  test('a long text within JSON, as the document that it is, also where it lies deep', async () => {
    const report = `${'It is "said" on a line of its own.\n'.repeat(8_000)}The needle.\n`;
    const page = await open({ payload: { title: 'Report', body: report } });
    await find(page, 'own. the needle', '1 of 1');
    expect((await marked(page)).here).toEqual(['own.\nThe needle']);
    await page.context().close();
    const deep = await open({ payload: { one: { two: { three: { body: report } } } } });
    await deep.locator('.json-line').first().waitFor();
    expect(await deep.locator('.document-text').count()).toBe(0);
    await find(deep, 'own. the needle', '1 of 1');
    expect(await deep.locator('.document-text').count()).toBe(1);
    await deep.context().close();
  });

  test('two answers side by side and a conversation, all of it at once', async () => {
    const pair = await open({
      payload: { question: 'Needle?', left: 'A needle.', right: `${FILLER}needle` },
    });
    await find(pair, 'needle', '1 of 3');
    await pair.context().close();
    const talk = await open({
      payload: {
        messages: [
          { role: 'user', content: 'needle' },
          { role: 'assistant', content: 'Needle!' },
        ],
      },
    });
    await find(talk, 'needle', '1 of 2');
    await talk.context().close();
  });

  test('HTML of somebody else’s, as its text, for nothing of it is reached in its frame', async () => {
    const payload = `<h1>Report</h1><p>The <b>nee</b>dle.</p><script>needle</script><p>${FILLER.repeat(40)}</p>`;
    const page = await open({ payload, contentType: 'text/html' });
    await page.locator('.sandboxed').waitFor();
    await find(page, 'the needle', '1 of 1');
    expect(await page.locator('.sandboxed').count()).toBe(0);
    await page.locator('[data-find]').fill('');
    await page.locator('.sandboxed').waitFor();
    await page.getByRole('button', { name: 'Show its text alone' }).click();
    await page.locator('.document-text').getByText('The needle.').waitFor();
    expect(await page.locator('.document-text').textContent()).not.toContain('needleneedle');
    await page.context().close();
  });

  test('of two answers that are data what differs is told by field', async () => {
    const left = { verdict: 'spam', tags: ['one', 'two'], confidence: 0.5 };
    const right = JSON.stringify({ confidence: 0.5, tags: ['one', 'more', 'two'], verdict: 'no spam' });
    const page = await open({ payload: { left, right } });
    await page.keyboard.press('d');
    const places = page.locator('.differences dt');
    await places.first().waitFor();
    expect(await places.allTextContents()).toEqual(['verdict', 'tags › 2']);
    expect(await page.locator('.differences ins').allTextContents()).toEqual(['no ', 'more']);
    await page.context().close();
  });

  test('its box says on a phone what it is, whole', async () => {
    const page = await open({ payload: FILLER.repeat(60), contentType: 'text/plain' });
    await page.setViewportSize({ width: 360, height: 740 });
    const { words, room } = await page.evaluate<{ words: number; room: number }>(`(() => {
      const field = document.querySelector('[data-find]');
      const style = getComputedStyle(field);
      const pen = document.createElement('canvas').getContext('2d');
      pen.font = style.font;
      const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      return { words: pen.measureText(field.placeholder).width, room };
    })()`);
    expect(words).toBeGreaterThan(20);
    expect(room).toBeGreaterThan(words);
    await page.locator('[data-find]').fill('after');
    await page.locator('.find output').getByText('1 of').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.context().close();
  });
});
