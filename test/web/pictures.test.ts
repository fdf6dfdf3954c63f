// @once: what it looks at is the same on every PostgreSQL
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { InlineTask } from '../../src/services/projects/batches.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { expectAccessible } from './support/axe.js';
import { expectToFit, sitDown, upload } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { png } from './support/png.js';
import { useTestSite } from './support/site.js';

describeInBrowser('pictures in JSON', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  const open = async (task: InlineTask): Promise<{ page: Page; strangers: string[] }> => {
    const world = await makeWorld(t.database, { tasks: 0, project: { leaseSeconds: 3600 } });
    await upload({ t, site }, world, [task]);
    const page = await (await browser.person({ viewport: { width: 1280, height: 800 } })).newPage();
    const strangers: string[] = [];
    page.on('request', (request) => {
      if (!/^(http:\/\/127\.0\.0\.1|blob:|data:|about:)/.test(request.url())) {
        strangers.push(request.url());
      }
    });
    await sitDown(page, site, world.ada.viewer);
    return { page, strangers };
  };
  /** Names and widths of all pictures that have come. */
  const shown = (page: Page) =>
    expect.poll(() =>
      page.evaluate<unknown[]>(
        "[...document.querySelectorAll('.payload img')].map((one) => [one.alt, one.complete ? one.naturalWidth : 0])",
      ),
    );

  test('are shown where they stand: in fields, lists, sides and turns, however large', async () => {
    const large = png(400, 400);
    expect(large.length).toBeGreaterThan(400_000);
    const fields = await open({
      payload: { question: 'Which is it?', photo: large, more: { views: [png(3, 2), png(5, 4)] } },
    });
    await shown(fields.page).toEqual([
      ['photo', 400],
      ['0', 3],
      ['1', 5],
    ]);
    await expectAccessible(fields.page);
    await fields.page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(fields.page);
    await fields.page.context().close();
    const pair = await open({ payload: { left: png(6, 6), right: png(7, 7) } });
    await shown(pair.page).toEqual([
      ['Left', 6],
      ['Right', 7],
    ]);
    expect(await pair.page.getByRole('button', { name: 'Show what differs' }).count()).toBe(0);
    await pair.page.context().close();
    const content = [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: png(8, 8) } },
    ];
    const talk = await open({ payload: { messages: [{ role: 'user', content }] } });
    await talk.page.getByText('What is it?').waitFor();
    await shown(talk.page).toEqual([['What user shows', 8]]);
    await talk.page.context().close();
  });

  test('that are broken, elsewhere or hostile: it is said, nothing is fetched, and nothing of them runs', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.document.title='taken'">
      <script>parent.document.title = 'taken'</script><image href="https://example.com/i.png" width="9" height="9"/></svg>`;
    const { page, strangers } = await open({
      payload: {
        drawn: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
        broken: 'data:image/png;base64,AAAA',
        cut: 'data:image/png;base64,***',
        away: 'https://example.com/p.png?who=ada',
        hostile: "data:text/html,<script>parent.document.title='taken'</script>",
        link: "javascript:parent.document.title='taken'",
      },
    });
    await shown(page).toEqual([['drawn', 9]]);
    expect(await page.getByText('the picture is broken').allTextContents()).toHaveLength(2);
    const links = page.locator('.payload a:not([download])');
    expect(await links.count()).toBe(1);
    expect(await links.getAttribute('href')).toBe('https://example.com/p.png?who=ada');
    expect(await links.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    await page.getByText('not fetched by this page').waitFor();
    expect(await page.title()).toBe('Touchstone');
    expect(strangers).toEqual([]);
    await expectAccessible(page);
    await page.context().close();
  });

  test('a payload that is a broken picture says so', async () => {
    const { page } = await open({ payload: 'no picture', contentType: 'image/png' });
    await page.getByText('the picture is broken').waitFor();
    await page.context().close();
  });

  test('in Markdown are shown where they came with it, and are links where they are elsewhere', async () => {
    const svg = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>parent.document.title="taken"</script></svg>').toString('base64')}`;
    const large = png(400, 400);
    const payload = [
      '# Of lamps',
      `![A lamp](${large})`,
      `![Drawn](${svg}) and ![by name][one]`,
      '![Elsewhere](https://example.com/p.png?who=ada)',
      `[![Linked](${png(5, 5)})](https://example.com/page) [![Linked away](https://example.com/q.png)](https://example.com/more)`,
      '![Broken](data:image/png;base64,AAAA)',
      "![Hostile](data:text/html,<b>x</b>) ![Runs](javascript:parent.document.title='taken') <img src=https://example.com/r.png>",
      `[one]: ${png(7, 7)}`,
    ].join('\n\n');
    const { page, strangers } = await open({ payload, contentType: 'text/markdown' });
    await shown(page).toEqual([
      ['A lamp', 400],
      ['Drawn', 9],
      ['by name', 7],
      ['Linked', 5],
    ]);
    await page.getByText('Broken: the picture is broken').waitFor();
    const links = await page.evaluate(
      "[...document.querySelectorAll('.payload .markdown a')].map((one) => [one.textContent, one.href, one.rel])",
    );
    expect(links).toEqual([
      ['Elsewhere', 'https://example.com/p.png?who=ada', 'noopener noreferrer nofollow'],
      ['', 'https://example.com/page', 'noopener noreferrer nofollow'],
      [
        'Linked away (a picture elsewhere; not fetched by this page)',
        'https://example.com/more',
        'noopener noreferrer nofollow',
      ],
    ]);
    expect(await page.title()).toBe('Touchstone');
    expect(strangers).toEqual([]);
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page);
    await page.context().close();
  });
});
