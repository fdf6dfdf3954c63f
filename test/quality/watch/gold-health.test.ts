import { describe, expect, test } from 'vitest';
import { findUnhealthy } from '../../../src/services/quality/watch/gold-health.js';
import { randomOf } from '../../soak/random.js';

const answers = (labels: string) => [...labels].map((label) => ({ label }));

/** The share of golds suspended within so many answers of strong experts, looked at after each. */
function suspended(
  accuracy: number,
  { golds, within, others }: { golds: number; within: number; others: number },
): number {
  const random = randomOf(13);
  let found = 0;
  for (let gold = 0; gold < golds; gold++) {
    const given: { label: string }[] = [];
    for (let n = 0; n < within; n++) {
      given.push({ label: random() < accuracy ? 'key' : `other ${Math.floor(random() * others)}` });
      if (findUnhealthy(given, 'key') !== null) {
        found++;
        break;
      }
    }
  }
  return found / golds;
}

describe('a gold', () => {
  test.each([0.8, 0.9])(
    'that strong experts get right in %s of cases is suspended in at most 1 of 200 lives',
    (accuracy) => {
      expect(suspended(accuracy, { golds: 1500, within: 40, others: 2 })).toBeLessThanOrEqual(0.005);
    },
  );

  test('whose key is wrong is suspended by the tenth strong answer in three of four cases, by the twentieth in 95 of 100', () => {
    expect(suspended(0.2, { golds: 500, within: 10, others: 1 })).toBeGreaterThan(0.75);
    expect(suspended(0.2, { golds: 500, within: 20, others: 1 })).toBeGreaterThan(0.95);
  });

  test('is not judged by seven answers', () => {
    expect(findUnhealthy(answers('bbbbbbb'), 'a')).toBeNull();
    expect(findUnhealthy(answers('bbbbbbbb'), 'a')).toMatchObject({
      reason: 'STRONG_EXPERTS_MISS',
      answers: 8,
      right: 0,
      modal: 'b',
    });
  });

  test('that one other answer beats is suspended, one that many beat a little is not', () => {
    expect(findUnhealthy(answers('aaaabbbbbbbbbccc'), 'a')).not.toBeNull();
    expect(findUnhealthy(answers('aaaaaaabbbccc'), 'a')).toBeNull();
  });

  test('of a sure case: P(p < .5) after 0 of 8 is 1 - 1 / 512', () => {
    expect(findUnhealthy(answers('bbbbbbbb'), 'a')?.probability).toBeCloseTo(511 / 512, 9);
  });
});
