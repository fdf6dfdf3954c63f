import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Fault {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Fails with everything that axe calls serious or critical on the page as it stands. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated by the debugger, which the content security policy does not bind.
  if (!(await page.evaluate<boolean>('"axe" in window'))) {
    await page.evaluate(AXE);
  }
  const faults = await page.evaluate<Fault[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations)',
  );
  const serious = faults
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
    );
  expect(serious).toEqual([]);
}
