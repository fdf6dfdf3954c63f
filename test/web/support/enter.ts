import type { Page } from 'playwright-core';
import type { Viewer } from '../../../src/services/access/viewer.js';
import type { TestSite } from './site.js';

/** Follows a link that signs somebody in, and says yes to it. */
export async function enter(
  page: Page,
  site: TestSite,
  { path, viewer }: { path: string; viewer: Viewer },
): Promise<void> {
  await page.goto(`${new URL(path, site.url).href}#token=${await site.token(viewer)}`);
  await page.getByRole('button', { name: `Sign in as ${viewer.displayName}` }).press('Enter');
}
