import type { CDPSession, Page } from 'playwright-core';

/** One expert before a real browser, who answers task after task as quickly as they come. */
export interface Sitting {
  /** Answers so many tasks; milliseconds from each Enter to the frame that shows the next one. */
  answer(tasks: number): Promise<number[]>;
  /** What the page holds once nothing more can be let go. */
  held(): Promise<Held>;
}

export interface Held {
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** In the page: says when the task that is shown is another than before, and its form is there, in a frame that was drawn. */
const WATCH = `(() => {
  const shown = () => document.querySelector('.payload dd')?.textContent ?? null;
  const isReadable = (before) => shown() !== null && shown() !== before && document.querySelector('[data-field]') !== null;
  let began = 0;
  addEventListener('keydown', (event) => { if (event.key === 'Enter') { began = performance.now(); } }, { capture: true });
  globalThis.nextReadable = (before) => new Promise((resolve) => {
    const look = () => {
      if (isReadable(before)) {
        requestAnimationFrame(() => resolve(performance.now() - began));
      } else {
        requestAnimationFrame(look);
      }
    };
    look();
  });
  globalThis.shownTask = shown;
})()`;

/** Takes the first task of who is signed in on this page. */
export async function sitDown(page: Page): Promise<Sitting> {
  await page.getByRole('button', { name: 'Take a task' }).press('Enter');
  await page.locator('.payload dd').first().waitFor();
  await page.locator('.markdown').first().waitFor();
  await page.evaluate(WATCH);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return { answer: (tasks) => answer(page, tasks), held: () => held(session) };
}

async function answer(page: Page, tasks: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < tasks; n++) {
    // The same words each time: the browser keeps every script that it was ever told.
    const next = page.evaluate<number>('nextReadable(shownTask())');
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    times.push(await next);
  }
  return times;
}

async function held(session: CDPSession): Promise<Held> {
  // What weak references and finalizers let go goes in a second round.
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return { heapBytes: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') };
}
