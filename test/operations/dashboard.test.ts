import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scrape } from '../http/support/scrape.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

const api = useTestApi(useTestDb());

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { panels } = JSON.parse(
  readFileSync(new URL('../../docs/grafana/touchstone.json', import.meta.url), 'utf8'),
) as { panels: Panel[] };

/** Metrics that no panel shows, and why not. */
const NOT_SHOWN: Readonly<Record<string, string>> = {};

/** Names of metrics in an expression: what stands before braces, without the parts of a histogram. */
const namesIn = (expr: string): string[] =>
  [...expr.matchAll(/([a-z0-9_]+)\{/g)].map(([, name = '']) => name.replace(/_(bucket|count|sum)$/, ''));

const shown = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr))));

test('every metric on the dashboard is one that a running server exposes', async () => {
  const { names } = await scrape(api);
  expect(shown.size).toBeGreaterThan(30);
  expect([...shown].filter((name) => !names.includes(name))).toEqual([]);
});

test('every metric of ours is on the dashboard, or it is said why not', async () => {
  const { names } = await scrape(api);
  const ours = names.filter((name) => name.startsWith('touchstone_'));
  expect(ours.filter((name) => !shown.has(name) && !(name in NOT_SHOWN))).toEqual([]);
  expect(Object.keys(NOT_SHOWN).filter((name) => !ours.includes(name))).toEqual([]);
});

test('every panel has a title of its own and asks for something', () => {
  const titles = panels.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(panels.filter((panel) => panel.targets?.length === 0).map(({ title }) => title)).toEqual([]);
});
