// @once: what it looks at is the same on every PostgreSQL
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { heartbeat, releaseAssignment } from '../../src/services/routing/lease.js';
import { submitAnswer } from '../../src/services/routing/submit.js';
import { useTestDb } from '../support/db.js';
import type { Expert, World } from '../support/factories.js';
import { take } from '../support/work.js';
import { draftsOf } from './support/bench.js';
import { describeInBrowser, useBrowser } from './support/chromium.js';
import { enter } from './support/enter.js';
import { useTestSite } from './support/site.js';
import { makeTextWorld, summary } from './support/texts.js';

const DAY_MS = 86_400_000;
const LONG_AGO = Date.now() - 40 * DAY_MS;

describeInBrowser('texts that were left behind', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const browser = useBrowser();

  test('go a month after they were shown where the server has them or the task is over, and no others', async () => {
    const world = await makeTextWorld({ t, site }, { tasks: 5 });
    const saved = await leftBehind(world, 'On the server too');
    const fresh = await leftBehind(world, 'Shown today');
    const untold = await leftBehind(world, 'Never shown');
    const other = await leftBehind(world, 'What the server has of it');
    const { id: assignmentId, epoch: leaseEpoch } = await take(t.database, world.ada);
    const answer = { summary: 'Handed in' };
    await submitAnswer(t.database, world.ada.viewer, { assignmentId, leaseEpoch, answer });
    await take(t.database, world.bob);
    const [unknown = ''] = await assignmentsOf(world.bob);
    const page = await atDesk(world);
    const [answered = ''] = (await assignmentsOf(world.ada)).filter(
      (one) => ![saved, fresh, untold, other].includes(one),
    );
    await keep(page, [
      [saved, 'On the server too', LONG_AGO],
      [fresh, 'Shown today', Date.now()],
      [untold, 'Never shown', null],
      [other, 'More than the server has', LONG_AGO],
      [answered, 'A leftover', LONG_AGO],
      [unknown, 'Of somebody else', LONG_AGO],
    ]);
    await page.reload();
    await page.getByText('Unfinished on this device: 4').waitFor();
    expect(await keptIn(page)).toEqual(new Set([fresh, untold, other, unknown]));
    // Once it is opened its writer was shown what is there.
    await page.getByText('Unfinished on this device').click();
    await page.getByText('Never shown').waitFor();
    await expect.poll(() => toldIn(page, untold)).toBeGreaterThan(LONG_AGO);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('not handed in').first().click();
    await page.locator('pre.answer').getByText('What the server has of it').waitFor();
    await page.context().close();
  });

  test('are fifty at most of those that were shown; where the server cannot be asked they all stay', async () => {
    const world = await makeTextWorld({ t, site });
    const oldest = await leftBehind(world, 'The oldest');
    const page = await atDesk(world);
    const now = Date.now();
    const others = Array.from({ length: 50 }, (_, n) => [`other-${n}`, `Text ${n}`, now] as const);
    await keep(page, [[oldest, 'The oldest', now - DAY_MS], ...others]);
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('KeptForDesk') ? route.abort() : route.continue(),
    );
    await page.reload();
    await page.getByText('Unfinished on this device: 51').waitFor();
    await page.unroute('**/graphql');
    await page.reload();
    await page.getByText('Unfinished on this device: 50').waitFor();
    expect((await keptIn(page)).has(oldest)).toBe(false);
    expect((await draftsOf(t, world)).join()).toContain('The oldest');
    await page.context().close();
  });

  test('were shown when a task was lost before one’s eyes', async () => {
    const world = await makeTextWorld({ t, site });
    const page = await atDesk(world);
    await page.getByRole('button', { name: 'Take a task' }).click();
    await summary(page).fill('Typed in vain');
    await page.getByText('Saved', { exact: true }).waitFor();
    await t.advance(3_600);
    await take(t.database, world.bob);
    await summary(page).fill('Typed in vain, all of it');
    await page.getByRole('heading', { name: 'can no longer be taken back' }).waitFor();
    const [id = ''] = await keptIn(page);
    expect(await toldIn(page, id)).toBeGreaterThan(LONG_AGO);
    await page.context().close();
  });

  /** Signs in; nothing is on the desk. */
  async function atDesk(world: World): Promise<Page> {
    const page = await (await browser.person()).newPage();
    await enter(page, site, { path: '/work', viewer: world.ada.viewer });
    await page.getByRole('button', { name: 'Take a task' }).waitFor();
    return page;
  }

  /** A task that was given back with a text in it; as the API calls it. */
  async function leftBehind(world: World, text: string): Promise<string> {
    const before = new Set(await assignmentsOf(world.ada));
    const { id: assignmentId, epoch: leaseEpoch } = await take(t.database, world.ada);
    const lease = { assignmentId, leaseEpoch };
    const draft = { summary: text };
    await heartbeat(t.database, world.ada.viewer, { ...lease, lastActivitySeconds: 0, draft });
    await releaseAssignment(t.database, world.ada.viewer, lease);
    const [id = ''] = (await assignmentsOf(world.ada)).filter((one) => !before.has(one));
    return id;
  }

  async function assignmentsOf({ viewer }: Expert): Promise<string[]> {
    const { assignments } = await asked<{ assignments: { edges: { node: { id: string } }[] } }>(
      await site.token(viewer),
      '{ assignments { edges { node { id } } } }',
    );
    return assignments.edges.map(({ node }) => node.id);
  }

  async function asked<Data>(token: string, query: string): Promise<Data> {
    const response = await fetch(`${site.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as { data: Data }).data;
  }

  /** Puts texts where the page keeps them, as if they had been typed long ago. */
  async function keep(
    page: Page,
    texts: readonly (readonly [id: string, text: string, toldAt: number | null])[],
  ): Promise<void> {
    const prefix = await prefixOf(page);
    for (const [id, text, toldAt] of texts) {
      const work = {
        answer: { summary: text },
        confidence: null,
        texts: {},
        flag: null,
        changedAt: toldAt ?? LONG_AGO,
        isSaved: false,
        builtOn: null,
        toldAt,
        title: text,
      };
      await page.evaluate(
        `localStorage.setItem(${JSON.stringify(prefix + id)}, ${JSON.stringify(JSON.stringify(work))})`,
      );
    }
  }

  async function prefixOf(page: Page): Promise<string> {
    const token = await page.evaluate<string>("localStorage.getItem('touchstone.token') ?? ''");
    const { viewer } = await asked<{ viewer: { identity: { id: string } } }>(
      token,
      '{ viewer { identity { id } } }',
    );
    return `touchstone.work.${viewer.identity.id}.draft.`;
  }

  async function keptIn(page: Page): Promise<Set<string>> {
    const prefix = await prefixOf(page);
    const keys = await page.evaluate<string[]>('Object.keys(localStorage)');
    return new Set(keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)));
  }

  async function toldIn(page: Page, id: string): Promise<number | null> {
    const key = JSON.stringify(`${await prefixOf(page)}${id}`);
    return page.evaluate<number | null>(`JSON.parse(localStorage.getItem(${key}) ?? 'null')?.toldAt ?? null`);
  }
});
