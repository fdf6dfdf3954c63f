import { describe, expect, test } from 'vitest';
import { findPeerGap } from '../../../src/services/quality/watch/peer-gap.js';
import { randomOf } from '../../soak/random.js';

const CONSENSUS = { accuracy: 0.92, classes: 3 };

/** The share of experts reported at some time of 300 tasks, a tenth of them gold, looked at after every ten. */
function reported(accuracy: number, onGold: number, experts: number): number {
  const random = randomOf(9);
  let found = 0;
  for (let expert = 0; expert < experts; expert++) {
    const seen = { goldRight: 0, goldSeen: 0, agreed: 0, compared: 0 };
    for (let task = 1; task <= 300; task++) {
      if (random() < 0.1) {
        seen.goldSeen++;
        seen.goldRight += random() < onGold ? 1 : 0;
      } else {
        seen.compared++;
        const [isRight, areRight] = [random() < accuracy, random() < CONSENSUS.accuracy];
        seen.agreed += isRight === areRight && (isRight || random() < 0.5) ? 1 : 0;
      }
      if (task % 10 === 0 && findPeerGap(seen, CONSENSUS) !== null) {
        found++;
        break;
      }
    }
  }
  return found / experts;
}

describe('the gap between gold and peers', () => {
  test.each([0.6, 0.8, 0.95])(
    'of an honest expert at %s is reported in at most 1 of 200 histories',
    (accuracy) => {
      expect(reported(accuracy, accuracy, 1000)).toBeLessThanOrEqual(0.005);
    },
  );

  test('of one who knows the gold is reported', () => {
    expect(reported(0.6, 1, 300)).toBeGreaterThan(0.95);
    expect(reported(0.7, 1, 300)).toBeGreaterThan(0.9);
  });

  test('takes into account that peers err: agreement of .75 with a consensus of .8 is no gap for .9 of two classes', () => {
    // .9 x .8 + .1 x .2 = .74.
    const seen = { goldRight: 900, goldSeen: 1000, agreed: 740, compared: 1000 };
    expect(findPeerGap(seen, { accuracy: 0.8, classes: 2 })).toBeNull();
    expect(findPeerGap(seen, { accuracy: 1, classes: 2 })?.gap).toBeCloseTo(0.16, 2);
  });

  test('is not judged from fewer than fifteen', () => {
    expect(findPeerGap({ goldRight: 14, goldSeen: 14, agreed: 0, compared: 100 }, CONSENSUS)).toBeNull();
    expect(findPeerGap({ goldRight: 100, goldSeen: 100, agreed: 0, compared: 14 }, CONSENSUS)).toBeNull();
  });
});
