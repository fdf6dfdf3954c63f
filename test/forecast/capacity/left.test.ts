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

  test('believes what other batches of the project took as more answers, and is surer of it', () => {
    const tally: Tally[] = [['WORK', 'OPEN', 1, 0, 10]];
    const nothing = { timed: 0, meanSeconds: null, deviation: null, usualSeconds: 300 };
    const spread = (isUsualMeasured: boolean) =>
      leftOf(measured(tally, { ...nothing, isUsualMeasured })).spread;
    expect(spread(true)).toBeCloseTo(Math.hypot(0.1, 0.2), 5);
    expect(spread(false)).toBeCloseTo(Math.hypot(0.1, 1 / Math.sqrt(3)), 5);
    const ten = { timed: 10, meanSeconds: 160, deviation: 80, usualSeconds: 300 };
    expect(leftOf(measured(tally, { ...ten, isUsualMeasured: true })).handlingSeconds).toBeCloseTo(260, 5);
    expect(leftOf(measured(tally, { ...ten, isUsualMeasured: false })).handlingSeconds).toBeCloseTo(
      2_500 / 13,
      5,
    );
  });
});
