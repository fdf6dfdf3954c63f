import { expect, test } from 'vitest';
import { playSeason } from '../../../bench/quality/season.js';
import { watchSeason } from '../../../bench/quality/watching.js';
import { estimate, skillPrior } from '../../../src/services/quality/scores/estimate.js';

const seasons = [1, 2, 3, 4].map((seed) => {
  const season = playSeason(seed, 4000);
  return { season, watched: watchSeason(season) };
});

test.each(seasons)('who memorised gold is found, and the gold they met retired', ({ season, watched }) => {
  const leaked = new Set(season.gold.filter(({ isLeaked }) => isLeaked).map(({ id }) => id));
  const memoriser = season.careers.find(({ expert }) => expert.behaviour === 'MEMORISER');
  const met = memoriser?.gold.filter(({ gold }) => leaked.has(gold)) ?? [];
  expect(watched.knowers).toContain('memoriser');
  expect(met.length).toBeGreaterThan(10);
  expect(met.filter(({ gold }) => watched.retired.has(gold)).length / met.length).toBeGreaterThan(0.75);
});

test('of 160 honest experts at most one is accused of knowing gold, and none of copying', () => {
  const honest = seasons.flatMap(({ season, watched }) =>
    season.careers
      .filter(({ expert }) => expert.behaviour === 'HONEST')
      .map(({ expert: { id } }) => ({ knows: watched.knowers.has(id), copies: watched.sharers.has(id) })),
  );
  expect(honest).toHaveLength(160);
  expect(honest.filter(({ knows }) => knows).length).toBeLessThanOrEqual(1);
  expect(honest.filter(({ copies }) => copies)).toEqual([]);
});

test('most of a ring of good colluders is found by the errors they share', () => {
  const found = seasons.flatMap(({ season, watched }) =>
    season.careers
      .filter(({ expert }) => expert.ring === 'ring 0.78')
      .map(({ expert }) => watched.sharers.has(expert.id)),
  );
  expect(found.filter(Boolean).length / found.length).toBeGreaterThan(0.8);
});

test('colluders who agree among themselves do not rise: their score is what gold says of their answers', () => {
  for (const { season } of seasons) {
    const prior = skillPrior(season.careers.map(({ score }) => score));
    const ring = season.careers.filter(({ expert }) => expert.ring === 'ring 0.55');
    expect(ring).toHaveLength(5);
    for (const { score } of ring) {
      expect(estimate(score, prior).lower).toBeLessThan(0.7);
    }
  }
});
