import { describe, expect, test } from 'vitest';
import { calibrateConfidence } from '../../../src/services/quality/confidence/calibration.js';
import { type WeighedExpert, workerModel } from '../../../src/services/quality/redundancy/worker-model.js';
import { meanAccuracy } from '../../../src/services/quality/scores/estimate.js';
import { foldScore } from '../../../src/services/quality/scores/score.js';
import { statedOf } from '../confidence/stated.js';
import { goldFact, goldFacts } from '../scores/facts.js';

const PRIOR = { mean: 0.8, strength: 4.5 };
const EXPERT: WeighedExpert = {
  score: foldScore(goldFacts(8, 2)),
  prior: PRIOR,
  dimension: '',
  labels: ['a', 'b'],
  calibration: null,
};

describe('an answer is weighed', () => {
  test('by its expert’s accuracy, shrunk to the skill', () => {
    expect(workerModel(EXPERT)).toEqual({ accuracy: meanAccuracy(EXPERT.score, PRIOR), confusion: null });
  });

  test('by their matrix where there is enough gold', () => {
    const facts = Array.from({ length: 40 }, (_, n) =>
      goldFact(n, 1, { outcomes: [{ dimension: '', truth: n % 2 ? 'a' : 'b', answer: n % 2 ? 'a' : 'b' }] }),
    );
    expect(workerModel({ ...EXPERT, score: foldScore(facts) }).confusion).toHaveLength(2);
    expect(workerModel({ ...EXPERT, score: foldScore(facts), dimension: '/other' }).confusion).toBeNull();
  });

  test('by the confidence stated with it, once that is calibrated and where it was stated', () => {
    const knows = calibrateConfidence(statedOf({ pairs: 200, seed: 1, stated: (p) => p }));
    const guesses = calibrateConfidence(statedOf({ pairs: 200, seed: 1, stated: () => 0.9 }));
    const own = workerModel(EXPERT).accuracy;
    expect(workerModel({ ...EXPERT, calibration: knows }, 0.55).accuracy).toBeLessThan(0.7);
    expect(workerModel({ ...EXPERT, calibration: knows }, 0.97).accuracy).toBeGreaterThan(0.85);
    expect(workerModel({ ...EXPERT, calibration: knows }, null).accuracy).toBe(own);
    expect(workerModel({ ...EXPERT, calibration: guesses }, 0.55).accuracy).toBe(own);
  });
});
