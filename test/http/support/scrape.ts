import type { TestApi } from '../../support/api.js';

/** What a server's /metrics said. */
export interface Scraped {
  /** Names of the metric families. */
  readonly names: readonly string[];
  /** The one sample of this name with these labels; undefined where there is none. */
  value(sample: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** Reads /metrics as a collector does. */
export async function scrape({ url }: Pick<TestApi, 'url'>): Promise<Scraped> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  const samples = lines.flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels: labelsIn(labels), value: Number(value) }];
  });
  return {
    names: lines.flatMap((line) => /^# TYPE (\w+)/.exec(line)?.[1] ?? []),
    value: (name, wanted = {}) =>
      samples.find(
        (s) => s.name === name && Object.entries(wanted).every(([label, of]) => s.labels.get(label) === of),
      )?.value,
  };
}

function labelsIn(text: string): Map<string, string> {
  return new Map([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', of = '']) => [key, of]));
}
