// @once: looks at what is sent to browsers, and asks no database
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createWebBundle, type WebBundle } from '../../src/runtime/web-bundle.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { serve } from './support/served.js';
import { readyFiles, scriptsOf, weightOf } from './support/weight.js';

const PAGE = { headers: { accept: 'text/html,*/*' } };
/** What the expert’s route may weigh on its way, all of its JavaScript together. */
const EXPERT_ROUTE_BYTES = 200 * 1024;

async function readyBundle(): Promise<WebBundle> {
  const web = createWebBundle(createLogger('silent'), { tellsWhy: true });
  await web.prepare();
  return web;
}

test('every path that is nothing else is a page, under a policy that lets nothing but our own run', async () => {
  const url = await serve(await readyBundle());
  const answers = await Promise.all(
    ['/', '/work', '/projects/x'].map((path) => fetch(`${url}${path}`, PAGE)),
  );
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<div id="root">');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  const policies = answers.map(({ headers }) => headers.get('content-security-policy') ?? '');
  for (const policy of policies) {
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self';/);
    expect(policy).not.toMatch(/unsafe/);
  }
  expect(new Set(policies).size).toBe(3); // a nonce of its own each
});

test('parts of the page are kept for ever by their names, and come compressed', async () => {
  const url = await serve(await readyBundle());
  const [script = ''] = scriptsOf(await (await fetch(url, PAGE)).text());
  const answer = await fetch(`${url}${script}`, { headers: { 'accept-encoding': 'gzip' } });
  expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(answer.headers.get('cache-control')).toContain('immutable');
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect((await fetch(`${url}${script}`, { method: 'HEAD' })).headers.get('content-length')).not.toBeNull();
});

test('what is no page and no part of one is left to the API', async () => {
  const url = await serve(await readyBundle());
  expect((await fetch(`${url}/work`, { headers: { accept: 'application/json' } })).status).toBe(404);
  expect((await fetch(`${url}/`, { headers: { accept: '*/*' } })).headers.get('content-type')).toMatch(
    /html/,
  );
  expect((await fetch(`${url}/work`, { ...PAGE, method: 'POST' })).status).toBe(404);
  expect((await fetch(`${url}/../package.json`)).status).toBe(404);
  expect((await fetch(`${await serve(undefined)}/`, PAGE)).status).toBe(404);
});

test('until the bundle is there the page says so, and comes back by itself', async () => {
  const url = await serve(createWebBundle(createLogger('silent'), { tellsWhy: true }));
  const answer = await fetch(url, PAGE);
  expect(answer.status).toBe(503);
  const nonce = /script-src 'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '')?.[1];
  const html = await answer.text();
  expect(html).toContain('being built');
  expect(html).toContain(`<script nonce="${nonce}">setTimeout(() => location.reload()`);
  const broken: WebBundle = {
    ...(await readyBundle()),
    state: () => ({ kind: 'FAILED', reason: 'no <disk>' }),
  };
  const failed = await (await fetch(await serve(broken), PAGE)).text();
  expect(failed).toContain('no &#60;disk&#62;');
});

test('an expert’s task with guidelines loads at most 200 KB of JavaScript, the worker’s and all that is loaded later with it', async () => {
  const bytes = weightOf(readyFiles(await readyBundle()));
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(EXPERT_ROUTE_BYTES);
});

test('what is sent compressed is what is sent as it is', async () => {
  const files = [...readyFiles(await readyBundle()).values()];
  const packed = files.flatMap(({ gzip, bytes }) =>
    gzip === null ? [] : [[gunzipSync(gzip), bytes] as const],
  );
  expect(packed.length).toBeGreaterThan(0);
  for (const [unpacked, bytes] of packed) {
    expect(unpacked.equals(bytes)).toBe(true);
  }
});
