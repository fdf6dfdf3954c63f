import { describe, expect, test } from 'vitest';
import { leftOf, type Measured, type Tally } from '../../../src/services/forecast/capacity/left.js';

const measured = (tally: readonly Tally[], more: Partial<Measured> = {}): Measured => ({
  tally,
  adaptiveMost: null,
  timed: 195,
  meanSeconds: 60,
  deviation: 30,
  usualSeconds: 60,
  isUsualMeasured: false,
  lost: 3,
  goldShare: 0,
  ...more,
});
const answers = (tally: readonly Tally[], more: Partial<Measured> = {}) =>
  leftOf(measured(tally, more)).seconds / 60;
const decisions = (tally: readonly Tally[]) => leftOf(measured(tally)).adjudication.items;

describe('leftOf', () => {
  test('is what open tasks want and have not, of fixed numbers', () => {
    expect(answers([['WORK', 'OPEN', 3, 1, 10]])).toBeCloseTo(20, 0);
    expect(leftOf(measured([['WORK', 'OPEN', 3, 1, 10]])).items).toBe(10);
  });

  test('counts what tasks come to want under a policy that adapts, by those that are done', () => {
    const open: Tally = ['WORK', 'OPEN', 2, 0, 100];
    const done: Tally[] = [
      ['WORK', 'DONE', 2, 2, 300],
      ['WORK', 'DONE', 4, 4, 100],
    ];
    expect(answers([open, ...done], { adaptiveMost: 5 }) / 100).toBeCloseTo(2.5, 1);
    // A task that wants three already is like those that came to want as many.
    expect(answers([['WORK', 'OPEN', 3, 2, 100], ...done], { adaptiveMost: 5 }) / 100).toBeCloseTo(2, 1);
    // Nothing is done yet: a third of an answer more.
    expect(answers([open], { adaptiveMost: 5 }) / 100).toBeCloseTo(2.35, 1);
  });

  test('adds adjudications, as finished tasks came to them', () => {
    const tally: Tally[] = [
      ['WORK', 'OPEN', 2, 0, 100],
      ['WORK', 'DONE', 2, 2, 200],
      ['ADJUDICATION', 'DONE', 1, 1, 18],
      ['ADJUDICATION', 'OPEN', 1, 0, 2],
    ];
    // They wait for others, elsewhere.
    expect(answers(tally)).toBeCloseTo(200, -1);
    expect(decisions(tally)).toBe(2 + 10);
  });

  test('expects no adjudication of everything because the first few were', () => {
    const first: Tally[] = [
      ['WORK', 'OPEN', 2, 0, 997],
      ['WORK', 'DONE', 2, 2, 1],
      ['ADJUDICATION', 'OPEN', 1, 0, 3],
    ];
    expect(decisions(first)).toBeLessThan(200);
  });

  test('adds gold, and claims that come to nothing', () => {
    const tally: Tally[] = [['WORK', 'OPEN', 1, 0, 100]];
    expect(answers(tally, { goldShare: 0.2 }) / answers(tally)).toBeCloseTo(1.25, 5);
    expect(answers(tally, { lost: 85 }) / answers(tally)).toBeGreaterThan(1.25);
  });

  test('believes what is usual where nothing was measured, and says so', () => {
    const nothing = { timed: 0, meanSeconds: null, deviation: null, usualSeconds: 300 };
    const left = leftOf(measured([['WORK', 'OPEN', 1, 0, 10]], nothing));
    expect(left.handlingSeconds).toBe(300);
    expect(left.spread).toBeGreaterThan(leftOf(measured([['WORK', 'OPEN', 1, 0, 10]])).spread * 2);
  });

  const tally: Tally[] = [['WORK', 'OPEN', 1, 0, 10]];
  const of = (more: Partial<Measured>) => leftOf(measured(tally, { usualSeconds: 300, ...more }));
  const nothing = { timed: 0, meanSeconds: null, deviation: null };

  test('is surer of what other batches of the project took than of what is believed', () => {
    expect(of({ ...nothing, isUsualMeasured: true }).spread).toBeCloseTo(Math.hypot(0.1, 0.2), 5);
    expect(of({ ...nothing, isUsualMeasured: false }).spread).toBeCloseTo(Math.hypot(0.1, 0.45), 5);
  });

  test('weighs own answers and what is usual by how sure each is', () => {
    // Answers that vary as much as they take: a mean of 25 is off by a fifth, as what was measured elsewhere is.
    const same = { timed: 25, meanSeconds: 100, deviation: 100, isUsualMeasured: true };
    expect(of(same).handlingSeconds).toBeCloseTo(200, 5);
    expect(of(same).spread).toBeCloseTo(Math.hypot(0.1, Math.sqrt(1 / 50)), 5);
  });

  test('believes thirty answers that agree, whatever other batches took', () => {
    const left = of({ timed: 30, meanSeconds: 600, deviation: 120, usualSeconds: 60, isUsualMeasured: true });
    expect(Math.log(600 / left.handlingSeconds)).toBeLessThan(left.spread);
  });

  test('does not take two answers that took the same for certain', () => {
    const two = { timed: 2, meanSeconds: 61, deviation: 1.4, isUsualMeasured: false };
    expect(of(two).spread).toBeGreaterThan(0.35);
  });
});
