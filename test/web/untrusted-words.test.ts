// @once @long: what it looks at is the same on every PostgreSQL
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld, type World } from '../support/factories.js';
import { answerNext } from '../support/work.js';
import { expectAccessible } from './support/axe.js';
import { expectToFit, sitDown, upload } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { picture } from './support/look.js';
import { useTestSite } from './support/site.js';

/** One word of 130 letters, in which what follows the control would be shown backwards. */
const WORD = `${'Wort'.repeat(15)}\u202egnp.exe${'lang'.repeat(15)}`;
const SEEN = '⟨U+202E⟩';
const PHONE = { width: 360, height: 740 };

const CHOICES = {
  kind: 'SINGLE_CHOICE',
  options: ['yes', 'no', 'unsure'].map((value) => ({ value, label: `${value} ${WORD}` })),
};
const RUBRIC = {
  kind: 'RUBRIC',
  criteria: [{ name: 'clear', label: WORD, min: 1, max: 5 }],
};

const CALLED = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'c1', type: 'function', function: { name: WORD, arguments: JSON.stringify({ [WORD]: WORD }) } },
  ],
};

const PAYLOADS = [
  { payload: { [WORD]: 'short', text: WORD, nested: { [WORD]: [WORD, { [WORD]: 1 }] } } },
  { payload: { question: WORD, left: { [WORD]: WORD }, right: { [WORD]: `${WORD}!` } } },
  {
    payload: {
      messages: [
        { role: WORD, content: WORD },
        CALLED,
        { role: 'tool', tool_call_id: 'c1', content: JSON.stringify({ [WORD]: WORD }) },
      ],
    },
  },
  { payload: WORD, contentType: 'text/plain' },
  { payload: `# ${WORD}\n\n**${WORD}**\n\n- \`${WORD}\``, contentType: 'text/markdown' },
  { payload: { code: `const ${WORD} = 1;`, language: 'javascript' } },
];

describeInBrowser('words of others, however long and whatever they hide,', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  /** A world in which everything that somebody named is called by such a word. */
  const named = async (definition: object): Promise<World> => {
    const world = await makeWorld(t.database, { tasks: 0, definition, project: { leaseSeconds: 3600 } });
    for (const table of ['projects', 'skills', 'task_types', 'customers']) {
      await t.admin.query(`update ${table} set name = name || $2 where tenant_id = $1`, [
        world.tenantId,
        WORD,
      ]);
    }
    await t.admin.query('update task_types set instructions = $2 where tenant_id = $1', [
      world.tenantId,
      `# ${WORD}\n\n${WORD}`,
    ]);
    return world;
  };
  const personOf = async (): Promise<Page> => (await browser.person({ viewport: PHONE })).newPage();
  /** Nothing is wider than a phone, and no control of order is in the page but those that keep a word to itself. */
  const look = async (page: Page, name: string) => {
    await expectToFit(page);
    const text = await page.evaluate<string>("document.querySelector('#root').textContent");
    expect(text, name).toContain(SEEN);
    expect(text, name).not.toMatch(/(?![\u2068\u2069])\p{Bidi_Control}/u);
    await picture(page, `words-${name}`);
  };

  test('fit each payload, the form and the guidelines on a phone, in their order', async () => {
    const world = await named(CHOICES);
    await upload(
      { t, site },
      world,
      PAYLOADS.map((task, n) => ({ ...task, externalId: `${n}${WORD}` })),
    );
    const page = await personOf();
    await sitDown(page, site, world.ada.viewer);
    for (const n of PAYLOADS.keys()) {
      await page.locator('.payload .as-it-came').waitFor();
      await page.locator('.work-head h1').getByText(`${n}Wort`).waitFor();
      await page.evaluate("document.querySelector('.guidelines').open = true");
      await page.locator('.guidelines .markdown h1').waitFor();
      if (n === 1) {
        await page.keyboard.press('d');
        await page.locator('.differences').waitFor();
      }
      await look(page, `task-${n}`);
      await page.keyboard.press('1');
      await page.keyboard.press('Enter');
      await page
        .getByText(
          n === PAYLOADS.length - 1 ? 'Nothing to do just now' : `Since you opened this page: ${n + 1}`,
        )
        .waitFor();
    }
    await expectAccessible(page);
    for (const path of ['earnings', 'history', 'quality']) {
      await page.goto(`${site.url}/${path}`);
      await page.locator('.page').getByText('Wort').first().waitFor();
      await look(page, path);
    }
    await page.context().close();
  });

  test('fit a rubric', async () => {
    const world = await named(RUBRIC);
    await upload({ t, site }, world, PAYLOADS.slice(0, 1));
    const page = await personOf();
    await sitDown(page, site, world.ada.viewer);
    await look(page, 'rubric');
    await page.context().close();
  });

  test('fit a customer’s pages and an operator’s', async () => {
    const world = await named(CHOICES);
    await upload({ t, site }, world, [{ payload: { q: 1 } }]);
    await t.admin.query('update batches set name = $2 where tenant_id = $1', [world.tenantId, WORD]);
    await t.admin.query('update experts set handle = $2 where tenant_id = $1', [world.tenantId, WORD]);
    await answerNext(t.database, world.ada);
    const page = await personOf();
    await enter(page, site, { path: '/projects', viewer: world.customer.viewer });
    await page.locator('.project-card').getByText('live', { exact: true }).waitFor();
    await look(page, 'projects');
    await page.locator('.project-card').getByRole('link').click();
    await page.locator('.batch').first().waitFor();
    await page.locator('input[type=file]').setInputFiles({
      name: 'a.jsonl',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(`{"payload":1,"${WORD}":2}\n{"id":1,"${WORD}":"${WORD}"}\n`),
    });
    await page.locator('.preview .faults').waitFor();
    await look(page, 'project');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText(/^Stored:/).waitFor();
    await page.locator('.uploaded summary').click();
    await page.locator('.uploaded .faults li').waitFor();
    await look(page, 'project-faults');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    await enter(page, site, { path: '/now', viewer: world.operator });
    await page.locator('.happenings li').first().waitFor();
    await look(page, 'now');
    await page.context().close();
  });

  test('of a script that is written from right to left stay beside ours', async () => {
    const world = await makeWorld(t.database, { tasks: 1 });
    await t.admin.query('update projects set name = $2 where tenant_id = $1', [world.tenantId, 'שלום 12']);
    await answerNext(t.database, world.ada);
    const page = await personOf();
    await enter(page, site, { path: '/projects', viewer: world.customer.viewer });
    expect(await page.locator('.project-card h2').textContent()).toBe('\u2068שלום 12\u2069');
    await page.context().close();
  });
});
