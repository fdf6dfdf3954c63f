import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { createWebBundle } from '../src/runtime/web-bundle.js';
import { loadDevelopmentKey, mintDevelopmentToken } from '../src/services/access/development-key.js';
import { createLogger } from '../src/services/platform/logger.js';
import { CHROMIUM } from '../test/web/support/program.js';
import { readyFiles, weightOf } from '../test/web/support/weight.js';
import { startMachine, TEMPLATE } from './claim/machine.js';
import { lineOf } from './claim/report.js';
import { percentile } from './claim/stats.js';
import { startProcess } from './fanout/servers.js';
import { sitDown } from './workbench/sitting.js';
import { EXPERT, makeTenant, makeWork, SLUG } from './workbench/world.js';

// What the workbench asks of a person's time and machine: a real Chromium, on loopback, one expert who answers task after task by
// keyboard. Prints a table and, last, one line of JSON: enterToReadableMs (median), heapGrowthPercent, routeKb.

/** Until what is loaded once is loaded, and what is used is compiled: the heap holds that too, and it is most of what comes at first. */
const WARM_UP = 300;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { tasks: { type: 'string' } } });
  const tasks = Number(values.tasks ?? 1_000);
  const web = createWebBundle(createLogger('warn'), { tellsWhy: true });
  await web.prepare();
  const routeKb = weightOf(readyFiles(web)) / 1024;
  console.log(`${'what'.padEnd(58)} ${'measured'.padStart(10)}  bar`);
  const { median, growth } = await withWork(tasks + WARM_UP + 1, (page) => measure(page, tasks));
  say({ what: 'JavaScript of a task with guidelines, gzip, KB', value: routeKb, max: 200 });
  const line = { enterToReadableMs: median, heapGrowthPercent: growth, routeKb };
  console.log(
    JSON.stringify(Object.fromEntries(Object.entries(line).map(([name, value]) => [name, round(value)]))),
  );
}

async function measure(page: Page, tasks: number): Promise<{ median: number; growth: number }> {
  const sitting = await sitDown(page);
  await sitting.answer(WARM_UP);
  const before = await sitting.held();
  const times = await sitting.answer(tasks);
  const after = await sitting.held();
  const [median, late] = [percentile(times, 0.5), percentile(times, 0.95)];
  const growth = (100 * (after.heapBytes - before.heapBytes)) / before.heapBytes;
  say({ what: 'Enter to the next task readable, median, ms', value: median, max: 150 });
  say({ what: 'Enter to the next task readable, 95 in 100, ms', value: late });
  say({ what: `heap after ${WARM_UP} tasks, MB`, value: before.heapBytes / 1e6 });
  say({ what: `heap after ${tasks} more, MB`, value: after.heapBytes / 1e6 });
  say({ what: 'it grew by, %', value: growth, max: 10 });
  say({ what: 'nodes more than before', value: after.nodes - before.nodes });
  say({ what: 'listeners more than before', value: after.listeners - before.listeners });
  return { median, growth };
}

/** A server process of its own with so many tasks, and a page of its one expert. */
async function withWork<T>(tasks: number, work: (page: Page) => Promise<T>): Promise<T> {
  const machine = await startMachine();
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-bench-node-'));
  try {
    const databaseUrl = machine.urlOf(TEMPLATE);
    await makeTenant(databaseUrl);
    const key = await loadDevelopmentKey(dataDir);
    const server = await startProcess(['bin/touchstone.mjs', 'serve', '--port', '0', '--empty'], {
      DATABASE_URL: databaseUrl,
      TOUCHSTONE_DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
    });
    try {
      const token = (subject: string, role: 'OPERATOR' | 'CUSTOMER' | 'EXPERT') =>
        mintDevelopmentToken(key, { subject, tenantSlug: SLUG, role });
      await makeWork({ url: server.url, token }, tasks);
      return await inChromium(`${server.url}/work#token=${await token(EXPERT, 'EXPERT')}`, work);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
    await machine.stop();
  }
}

async function inChromium<T>(link: string, work: (page: Page) => Promise<T>): Promise<T> {
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(link);
    await page.getByRole('button', { name: /^Sign in as/ }).press('Enter');
    return await work(page);
  } finally {
    await browser.close();
  }
}

const say = (figure: { what: string; value: number; max?: number }) => console.log(lineOf(figure));

const round = (value: number) => Math.round(value * 10) / 10;

await main();
