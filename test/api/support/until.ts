import { setTimeout as pause } from 'node:timers/promises';

/** Looks again and again until it is so; fails after a minute, which no machine is too busy for, with what was waited for. */
export async function until(isSo: () => Promise<boolean>, what = 'it'): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > end) {
      throw new Error(`Waited a minute for ${what}, in vain.`);
    }
    await pause(20);
  }
}
