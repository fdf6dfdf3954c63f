import { gzipSync } from 'node:zlib';
import type { WebBundle, WebFile } from '../../../src/runtime/web-bundle.js';

type Files = ReadonlyMap<string, WebFile>;

/** The files of a bundle that could be built. */
export function readyFiles(web: WebBundle): Files {
  const state = web.state();
  if (state.kind !== 'READY') {
    throw new Error('The bundle could not be built.');
  }
  return state.files;
}

/** What a page asks for by itself. */
export const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => `${path}`);

/** What a task with guidelines loads after the page has begun: the workbench, what shows Markdown, and the worker that keeps leases. */
const LATER = ['work-page', 'markdown', 'keeper.worker'];

/** Bytes of JavaScript, compressed by gzip, that a browser loads until an expert can read a task and its guidelines. */
export function weightOf(files: Files): number {
  const later = LATER.map((name) => {
    const path = [...files.keys()].find((one) => one.startsWith(`/assets/${name}-`) && one.endsWith('.js'));
    if (path === undefined) {
      throw new Error(`There is no part of the bundle called ${name}.`);
    }
    return path;
  });
  const all = new Set([...scriptsOf(textOf(files, '/index.html')), ...later]);
  for (const path of all) {
    for (const [, name] of textOf(files, path).matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) {
      all.add(`/assets/${name}`);
    }
  }
  return [...all].reduce((sum, path) => sum + sizeOf(files.get(path)), 0);
}

const textOf = (files: Files, path: string): string => String(files.get(path)?.bytes ?? '');

const sizeOf = (file: WebFile | undefined): number =>
  file?.gzip?.length ?? gzipSync(file?.bytes ?? '').length;
