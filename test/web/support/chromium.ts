import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { CHROMIUM } from './program.js';

const COMMAND = 'apt-get update && apt-get install -y chromium';

if (CHROMIUM === undefined) {
  const message = `there is no Chromium on the path. Run: ${COMMAND} (or set CHROMIUM)`;
  if (process.env.CI === 'true') {
    throw new Error(`In CI nothing may be skipped, and ${message}`);
  }
  console.warn(`Tests in a browser are skipped: ${message}`);
}

/** A suite that needs a browser; reported as skipped where there is none, which CI does not allow. */
export const describeInBrowser = describe.skipIf(CHROMIUM === undefined);

export interface TestBrowser {
  /** A person's browser: storage of its own, which its tabs share. Closed with the file. */
  person(options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>;
}

/** One Chromium for the calling file. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    // As root, as in CI, Chromium runs without its own sandbox only; the shared memory of containers is too small for it.
    const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args });
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    async person(options = {}) {
      if (browser === undefined) {
        throw new Error('The browser exists only while tests of this file run.');
      }
      const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
      context.setDefaultTimeout(20_000);
      return context;
    },
  };
}
