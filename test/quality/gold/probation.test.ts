import { expect, test } from 'vitest';
import { isProbationOver } from '../../../src/services/quality/gold/probation.js';
import { foldScore } from '../../../src/services/quality/scores/score.js';
import { goldFacts } from '../scores/facts.js';

const PRIOR = { mean: 0.8, strength: 4.5 };

test.each([
  { right: 7, wrong: 0, isOver: false },
  { right: 8, wrong: 0, isOver: true },
  { right: 7, wrong: 1, isOver: true },
  { right: 4, wrong: 5, isOver: false },
])('probation after $right right and $wrong wrong is over: $isOver', ({ right, wrong, isOver }) => {
  expect(isProbationOver(foldScore(goldFacts(right, wrong)), PRIOR, 0.7)).toBe(isOver);
});
