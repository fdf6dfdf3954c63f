import { describe, expect, test } from 'vitest';
import { openDoor, openHighDoor } from '../../../src/services/quality/gold/door.js';
import { accuracyAt, estimate } from '../../../src/services/quality/scores/estimate.js';
import { foldScore, NO_SCORE } from '../../../src/services/quality/scores/score.js';
import { randomOf } from '../../soak/random.js';
import { goldFacts } from '../scores/facts.js';

const PRIOR = { mean: 0.8, strength: 4.5 };
const NEWCOMER = { score: NO_SCORE, prior: PRIOR, provenExperts: 10, explore: 0.5, accuracy: 0.5 };

describe('the quality that gates an expert', () => {
  test('is the lower bound of whoever is known', () => {
    const score = foldScore(goldFacts(10, 0));
    const door = openDoor({ ...NEWCOMER, score, explore: 0, provenExperts: 0 });
    expect(door).toMatchObject({ kind: 'LOWER_BOUND', quality: estimate(score, PRIOR).lower, drawn: null });
  });

  test('of a newcomer is the lower bound too, but for one draw in ten, and the draw is kept', () => {
    const random = randomOf(4);
    const doors = Array.from({ length: 5000 }, () =>
      openDoor({ ...NEWCOMER, explore: random(), accuracy: random() }),
    );
    const open = doors.filter(({ kind }) => kind === 'EXPLORATION');
    expect(open.length / doors.length).toBeGreaterThan(0.08);
    expect(open.length / doors.length).toBeLessThan(0.105);
    expect(doors.every(({ drawn }) => drawn !== null)).toBe(true);
    // Thompson: admitted to a minimum as often as the accuracy is believed to be above it.
    const passing = open.filter(({ quality }) => quality >= 0.75).length / open.length;
    expect(passing).toBeGreaterThan(0.6);
    expect(passing).toBeLessThan(0.8);
  });

  test('is drawn by the share that the skill says, and says by which', () => {
    const random = randomOf(5);
    const shareOf = (share: number) => {
      const doors = Array.from({ length: 3000 }, () =>
        openDoor({ ...NEWCOMER, share, explore: random(), accuracy: random() }),
      );
      expect(doors.every(({ drawn }) => drawn?.share === share)).toBe(true);
      return doors.filter(({ kind }) => kind === 'EXPLORATION').length / doors.length;
    };
    expect(shareOf(0)).toBe(0);
    expect(shareOf(0.4)).toBeGreaterThan(0.35);
    expect(openDoor(NEWCOMER).drawn?.share).toBe(0.1);
  });

  test('is the least bar where all are high, while a newcomer may be that good and has not proven it', () => {
    const of = (right: number, wrong: number) =>
      openHighDoor({ score: foldScore(goldFacts(right, wrong)), prior: PRIOR }, 0.85);
    expect(openHighDoor(NEWCOMER, 0.85)).toMatchObject({ kind: 'HIGH_BARS', quality: 0.85 });
    expect(of(10, 0)).toMatchObject({ quality: 0.85 });
    expect(of(4, 8)).toBeNull();
    expect(of(59, 0)).toBeNull();
    expect(openHighDoor(NEWCOMER, null)).toBeNull();
  });

  test('is never lower for having been drawn', () => {
    const { lower } = estimate(NO_SCORE, PRIOR);
    expect(openDoor({ ...NEWCOMER, explore: 0, accuracy: 0.001 })).toMatchObject({
      kind: 'LOWER_BOUND',
      quality: lower,
    });
  });

  test('of a newcomer to a scarce skill is what they may hope to be', () => {
    const door = openDoor({ ...NEWCOMER, provenExperts: 2 });
    expect(door.kind).toBe('SCARCE_SKILL');
    expect(door.quality).toBe(0.79);
    const score = foldScore(goldFacts(2, 4));
    const lessHopeful = openDoor({ ...NEWCOMER, score, provenExperts: 2 });
    expect(lessHopeful.quality).toBeCloseTo(accuracyAt(score, PRIOR, 0.9), 9);
  });

  test('never reaches by an exception where adjudications wait, whatever is drawn', () => {
    const random = randomOf(9);
    for (let n = 0; n < 500; n++) {
      const door = openDoor({ ...NEWCOMER, explore: 0, accuracy: random(), provenExperts: n % 5 });
      expect(door.quality).toBeLessThan(0.8);
    }
  });

  test('of a newcomer who is wrong is low even where the skill is scarce', () => {
    const score = foldScore(goldFacts(0, 9));
    expect(openDoor({ ...NEWCOMER, score, provenExperts: 0 }).quality).toBeLessThan(0.6);
  });
});
