import { describe, expect, test } from 'vitest';
import type { KeyedAnswer } from '../../../src/services/quality/watch/error-models.js';
import { findSharedErrors } from '../../../src/services/quality/watch/shared-errors.js';
import { randomOf } from '../../soak/random.js';

interface Crowd {
  readonly colluders: number;
  readonly classes: number;
  readonly perItem: number;
  readonly items: number;
  readonly seed: number;
}

const EXPERTS = 40;

/** Experts at .6 to .95 with biases of their own, on items easy and hard; colluders copy one answer of .7. */
function answersOf({ colluders, classes, perItem, items, seed }: Crowd): KeyedAnswer[] {
  const random = randomOf(seed);
  const experts = Array.from({ length: EXPERTS }, () => ({
    accuracy: 0.6 + 0.35 * random(),
    bias: 0.3 * (random() - 0.5),
  }));
  return Array.from({ length: items }, (_, item) => {
    const key = Math.floor(random() * classes);
    const ease = 0.5 * (random() - 0.5);
    const wrong = () => (key + 1 + (random() < 0.5 ? 0 : Math.floor(random() * (classes - 1)))) % classes;
    const shared = random() < 0.7 ? key : wrong();
    const chosen = new Set<number>();
    while (chosen.size < perItem) {
      chosen.add(Math.floor(random() * EXPERTS));
    }
    return [...chosen].map((n) => {
      const { accuracy, bias } = experts[n] ?? { accuracy: 0, bias: 0 };
      const p = Math.min(0.98, Math.max(0.1, accuracy + ease + (key === 0 ? bias : -bias)));
      const label = n < colluders ? shared : random() < p ? key : wrong();
      return { item: `${item}`, expert: `e${n}`, label: `${label}`, key: `${key}` };
    });
  }).flat();
}

const seeds = Array.from({ length: 8 }, (_, n) => n + 1);

describe('shared errors', () => {
  test.each([
    { classes: 2, perItem: 5 },
    { classes: 5, perItem: 5 },
    { classes: 2, perItem: 10 },
  ])('of honest experts with biases, on hard items, of $classes classes, are no cluster', (crowd) => {
    const found = seeds.flatMap((seed) =>
      findSharedErrors(answersOf({ ...crowd, colluders: 0, items: 2000, seed })),
    );
    expect(found).toEqual([]);
  });

  test.each([
    { colluders: 5, classes: 2, perItem: 5 },
    { colluders: 5, classes: 5, perItem: 5 },
    { colluders: 2, classes: 3, perItem: 10 },
  ])('of $colluders who copy, of $classes classes, are found, and nobody with them', (crowd) => {
    let caught = 0;
    for (const seed of seeds) {
      const [largest, ...others] = findSharedErrors(answersOf({ ...crowd, items: 3000, seed }));
      const experts = largest?.experts ?? [];
      expect(experts.filter((expert) => Number(expert.slice(1)) >= crowd.colluders)).toEqual([]);
      expect(others).toEqual([]);
      caught += experts.length;
    }
    expect(caught / (crowd.colluders * seeds.length)).toBeGreaterThan(0.75);
  });

  test('say how often, and how often was to be expected', () => {
    const [cluster] = findSharedErrors(
      answersOf({ colluders: 2, classes: 3, perItem: 10, items: 3000, seed: 1 }),
    );
    expect(cluster?.experts).toEqual(['e0', 'e1']);
    const [pair] = cluster?.pairs ?? [];
    expect(pair?.same).toBeGreaterThan(2 * (pair?.expected ?? Number.NaN));
    expect(pair?.common).toBeGreaterThan(100);
  });

  test('do not depend on the order of answers', () => {
    const answers = answersOf({ colluders: 5, classes: 3, perItem: 5, items: 1500, seed: 2 });
    const names = (list: readonly KeyedAnswer[]) => findSharedErrors(list).map(({ experts }) => experts);
    expect(names([...answers].reverse())).toEqual(names(answers));
  });

  test('of nobody are none', () => {
    expect(findSharedErrors([])).toEqual([]);
  });
});
