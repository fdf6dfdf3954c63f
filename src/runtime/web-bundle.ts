import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../services/platform/logger.js';

const BUILD = fileURLToPath(new URL('../../scripts/build-web.mjs', import.meta.url));
/** Of the system's -20 to 19: the API's first answers come before the pages. */
const BUILD_PRIORITY = 10;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** One file of the bundle, in memory, as it is and as browsers may have it. */
export interface WebFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer | null;
  readonly brotli: Buffer | null;
}

export type WebState =
  | { readonly kind: 'BUILDING' }
  | { readonly kind: 'READY'; readonly files: ReadonlyMap<string, WebFile> }
  | { readonly kind: 'FAILED'; readonly reason: string };

/** The web app's bundle: found, or built beside the running API. */
export interface WebBundle {
  /** By path, such as `/assets/main-x1.js`. */
  state(): WebState;
  /** Looks for the bundle of the sources as they are, and builds it where it is missing; resolves when that is over. */
  prepare(): Promise<void>;
  /** Ends a build that is under way. */
  close(): void;
}

/** After a build that failed the next one is tried so much later: a disk may have been full. */
const AGAIN_AFTER_MS = 60_000;
const NOT_SAID = 'Its log says why (web.not_built).';

/**
 * Nothing happens before `prepare`. What failed is tried again by itself; visitors are told why only where `tellsWhy`: the
 * bundler speaks of paths of this machine.
 */
export function createWebBundle(log: Logger, { tellsWhy }: { tellsWhy: boolean }): WebBundle {
  let state: WebState = { kind: 'BUILDING' };
  const closing = new AbortController();
  const prepare = async () => {
    try {
      state = { kind: 'READY', files: readBundle(await build(closing.signal)) };
    } catch (error) {
      if (closing.signal.aborted) {
        return;
      }
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason }, 'web.not_built');
      state = { kind: 'FAILED', reason: tellsWhy ? reason : NOT_SAID };
      const again = setTimeout(() => void prepare(), AGAIN_AFTER_MS).unref();
      closing.signal.addEventListener('abort', () => clearTimeout(again), { once: true });
    }
  };
  return { state: () => state, prepare, close: () => closing.abort() };
}

/** Another process does it: bundling would hold up every request of this one. Answers where the bundle is. */
async function build(signal: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'pipe', 'pipe'], signal });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said.err += chunk;
  });
  if (child.pid !== undefined) {
    giveWay(child.pid);
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    throw new Error(said.err.trim() || `The build ended with ${code}.`);
  }
  return said.out.trim().split('\n').at(-1) ?? '';
}

function giveWay(pid: number): void {
  try {
    setPriority(pid, BUILD_PRIORITY);
  } catch {
    // It has ended already, or the system does not let us: it is built all the same.
  }
}

/** A bundle is about a megabyte, and is asked for again and again. */
function readBundle(directory: string): Map<string, WebFile> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
  const read = (name: string) => (names.includes(name) ? readFileSync(join(directory, name)) : null);
  const files = names
    .filter((name) => TYPES[extname(name)] !== undefined)
    .map((name): [string, WebFile] => [
      `/${name.replaceAll('\\', '/')}`,
      {
        type: TYPES[extname(name)] ?? 'application/octet-stream',
        bytes: readFileSync(join(directory, name)),
        gzip: read(`${name}.gz`),
        brotli: read(`${name}.br`),
      },
    ]);
  return new Map(files);
}
