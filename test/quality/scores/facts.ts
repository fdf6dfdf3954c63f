import type { ScoreFact } from '../../../src/services/quality/scores/facts.js';

/** A gold result; the n-th of a history unless it says otherwise. */
export function goldFact(n: number, credit: number, more: Partial<ScoreFact> = {}): ScoreFact {
  return {
    id: `fact ${String(n).padStart(6, '0')}`,
    source: 'GOLD',
    atMs: n * 1000,
    credit,
    weight: 1,
    outcomes: [],
    dimensions: [],
    ...more,
  };
}

/** So many right, then so many wrong. */
export function goldFacts(right: number, wrong: number): ScoreFact[] {
  return Array.from({ length: right + wrong }, (_, n) => goldFact(n, n < right ? 1 : 0));
}
