// @once: what it looks at is the same on every PostgreSQL
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import type { Viewer } from '../../src/services/access/viewer.js';
import { useTestDb } from '../support/db.js';
import { answersOf, sitDown } from './support/bench.js';
import { describeInBrowser } from './support/chromium.js';
import { CHROMIUM } from './support/program.js';
import { useTestSite } from './support/site.js';
import { makeTextWorld, summary } from './support/texts.js';

// A browser that is killed has written little of its localStorage to disk: half a minute of typing was lost with it.
describeInBrowser('a browser that is killed while there is no network loses', () => {
  const t = useTestDb();
  const site = useTestSite(t);
  const profile = mkdtempSync(join(tmpdir(), 'touchstone-profile-'));
  afterAll(() => rmSync(profile, { recursive: true, force: true }));

  const launch = async (): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM ?? '',
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    context.setDefaultTimeout(20_000);
    return { context, page: context.pages()[0] ?? (await context.newPage()) };
  };

  /** The browser's main process, as by kill -9, and those that it leaves. */
  async function kill(context: BrowserContext): Promise<void> {
    const closed = context.waitForEvent('close');
    const all = processesOf(profile);
    expect(all.length).toBeGreaterThan(0);
    for (const pid of all) {
      process.kill(pid, 'SIGKILL');
    }
    await closed;
    await expect.poll(() => processesOf(profile)).toEqual([]);
    for (const name of ['SingletonLock', 'SingletonCookie', 'SingletonSocket']) {
      rmSync(join(profile, name), { force: true });
    }
  }

  /** Whether they are signed in still is not looked at here. */
  async function comeBack(page: Page, viewer: Viewer): Promise<void> {
    await page.goto(`${site.url}/work#token=${await site.token(viewer)}`);
    const signIn = page.getByRole('button', { name: `Sign in as ${viewer.displayName}` });
    await signIn
      .or(page.getByRole('link', { name: 'Earnings' }))
      .first()
      .waitFor();
    if (await signIn.isVisible()) {
      await signIn.press('Enter');
    }
  }

  test('neither what was typed last nor an answer that waits to be sent', async () => {
    const world = await makeTextWorld({ t, site });
    const first = await launch();
    await sitDown(first.page, site, world.ada.viewer);
    await summary(first.page).fill('Begun');
    await first.page.getByText('Saved', { exact: true }).waitFor();
    await first.context.setOffline(true);
    // More often than a browser writes its localStorage: some of the latest is never there.
    for (let n = 0; n < 100; n++) {
      await summary(first.page).fill(`Begun, and by now ${n}`);
    }
    await first.page.getByText('Offline: kept on this device').first().waitFor();
    await untilCopied(first.page, 'Begun, and by now 99');
    await kill(first.context);

    const second = await launch();
    await comeBack(second.page, world.ada.viewer);
    await expect.poll(() => summary(second.page).inputValue()).toBe('Begun, and by now 99');
    await second.page.getByText('Saved', { exact: true }).waitFor();
    await second.context.setOffline(true);
    await summary(second.page).fill('Given without a network');
    await second.page.getByText('Offline: kept on this device').first().waitFor();
    await second.page.keyboard.press('Control+Enter');
    await second.page.getByText('Your answer is waiting to be sent').waitFor();
    await untilCopied(second.page, '"ending"');
    await kill(second.context);

    const third = await launch();
    await comeBack(third.page, world.ada.viewer);
    await expect.poll(() => answersOf(t, world)).toEqual([{ summary: 'Given without a network' }]);
    await third.context.close();
  });
});

/** Processes that were started with a directory of their profile. */
function processesOf(profile: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`--user-data-dir=${profile}`);
      } catch {
        return false; // It has just ended.
      }
    })
    .map(Number);
}

/** Until a text is in the browser's database: the last key may be on its way there. */
async function untilCopied(page: Page, text: string): Promise<void> {
  const isThere = () =>
    page.evaluate(
      (wanted) =>
        new Promise<boolean>((resolve, reject) => {
          const opening = indexedDB.open('touchstone');
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const all = opening.result.transaction('kept').objectStore('kept').getAll();
            all.onsuccess = () => {
              opening.result.close();
              resolve(JSON.stringify(all.result).includes(wanted.replaceAll('"', '\\"')));
            };
          };
        }),
      text,
    );
  await expect.poll(isThere).toBe(true);
}
