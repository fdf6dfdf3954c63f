import { expect, test } from 'vitest';
import {
  accuracyOfAnswer,
  calibrateConfidence,
} from '../../../src/services/quality/confidence/calibration.js';
import {
  type SkillCalibration,
  type StatedGrading,
  skillCalibrations,
} from '../../../src/services/quality/confidence/skills.js';
import { statedOnGold } from '../../../src/services/quality/scores/facts-of.js';
import { type Random, randomOf } from '../../soak/random.js';
import { at } from '../../support/factories.js';

let last = 0n;

/** An answer on gold, with what was stated with it. */
function answer(skillId: bigint, stated: number, right: Readonly<Record<string, boolean>>): StatedGrading[] {
  last += 10n;
  return Object.entries(right).map(([dimension, isRight], n) => ({
    ...{ id: last + BigInt(n), assignmentId: last, taskTypeId: 1n, skillId, dimension, stated, isRight },
    ...{
      kind: 'GOLD' as const,
      truth: 'a',
      answered: isRight ? 'a' : 'b',
      weight: 1,
      isClass: true,
      classes: 2,
    },
    gradedAt: new Date(Number(last)),
  }));
}

/** Right as often as they say: .6 or .98. */
const knowing = (random: Random, skillId: bigint) =>
  Array.from({ length: 180 }, () => {
    const p = random() < 0.5 ? 0.6 : 0.98;
    return answer(skillId, p, { choice: random() < p });
  }).flat();

function calibrated(gradings: readonly StatedGrading[]) {
  const general = calibrateConfidence(statedOnGold(gradings));
  const found = skillCalibrations(gradings, general);
  const of = (skillId: bigint, dimension = ''): SkillCalibration =>
    at(
      found.filter((one) => one.skillId === skillId && one.dimension === dimension),
      0,
    );
  return { general, found, of };
}

test('who knows what they know where it is easy is not believed where they guess', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const random = randomOf(seed);
    const guessed = Array.from({ length: 20 }, (_, n) => answer(2n, 0.95, { choice: n % 2 === 0 })).flat();
    const { general, of } = calibrated([...knowing(random, 1n), ...guessed]);
    expect(general.use).toBe('USABLE');
    // In the easy skill being surer counts; where they guess what they always state counts for nothing, nor does much more.
    expect(accuracyOfAnswer(0.9, of(1n), 0.99)).toBeGreaterThan(0.93);
    expect(accuracyOfAnswer(0.5, of(2n), 0.95)).toBeCloseTo(0.5, 2);
    expect(accuracyOfAnswer(0.5, of(2n), 0.99)).toBeLessThan(0.75);
  }
});

test('in a skill nothing counts before ten answers on gold, and from thirty on what they say there does', () => {
  const random = randomOf(7);
  const guesses = (count: number) =>
    Array.from({ length: count }, () => answer(2n, 0.5 + 0.49 * random(), { choice: random() < 0.5 })).flat();
  const easy = knowing(random, 1n);
  expect(calibrated([...easy, ...guesses(9)]).of(2n)).toMatchObject({ pairs: 9, use: 'TOO_FEW' });
  expect(calibrated([...easy, ...guesses(10)]).of(2n).use).toBe('USABLE');
  expect(calibrated([...easy, ...guesses(120)]).of(2n).use).toBe('SAYS_NOTHING');
});

test('a dimension with thirty answers has a map of its own, shrunk to the skill', () => {
  const random = randomOf(9);
  const both = Array.from({ length: 150 }, () => {
    const p = 0.6 + 0.39 * random();
    return answer(1n, p, { category: random() < p, severity: random() < 0.6 });
  }).flat();
  const { found, of } = calibrated(both);
  expect(found.map(({ dimension }) => dimension)).toEqual(['', 'category', 'severity']);
  expect(of(1n, 'category').use).toBe('USABLE');
  // What they state says something of the category, and nothing of the severity.
  expect(of(1n, 'severity').use).toBe('SAYS_NOTHING');
  expect(of(1n, 'category').map.slope).toBeGreaterThan(of(1n, 'severity').map.slope + 0.3);
  const few = both.slice(0, 2 * 29);
  expect(calibrated(few).found.map(({ dimension }) => dimension)).toEqual(['']);
});
