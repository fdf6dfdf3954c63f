import { spawnSync } from 'node:child_process';

/** The browser's program: Debian's package, or whatever CHROMIUM names; undefined where there is none. */
export const CHROMIUM =
  process.env.CHROMIUM ?? find('chromium') ?? find('chromium-browser') ?? find('google-chrome');

function find(program: string): string | undefined {
  const found = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
  return found === '' ? undefined : found;
}
