import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expectAccessible } from './axe.js';
import { expectToFit } from './bench.js';

/** Where pictures of each view go, for people to look at; none are taken without. */
const PICTURES = process.env.PICTURES;

const DESKTOP = { width: 1280, height: 800 };
/** A phone, and the desktop's page at twice its size. */
const NARROW = [
  { width: 360, height: 740 },
  { width: 640, height: 400 },
] as const;

/**
 * Looks at a view as it stands: nothing that axe calls serious, light and dark; nothing cut off on a phone or at 200 %.
 * PICTURES names a directory that pictures go to.
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectAccessible(page);
    await picture(page, `${name}-${colorScheme}-desktop`);
  }
  for (const size of NARROW) {
    await page.setViewportSize(size);
    await expectToFit(page);
    if (size.width === 360) {
      await picture(page, `${name}-dark-phone`);
      await page.emulateMedia({ colorScheme: 'light' });
      await picture(page, `${name}-light-phone`);
    }
  }
  await page.setViewportSize(DESKTOP);
}

/** Takes a picture of a whole page, where they are asked for. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) {
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  }
}
