import { NOT_PAUSED, stepPause } from '../../src/services/quality/pausing/pause.js';
import { chanceOf } from '../../src/services/quality/pausing/trusted.js';
import { randomOf } from '../../test/soak/random.js';

/** Experts of one accuracy whose work is looked at by adjudicators. */
export interface Audited {
  readonly accuracy: number;
  /** How often adjudicators are right, and how often they are taken to be. */
  readonly adjudicator: number;
  readonly believed: number;
  readonly classes: number;
  /** How many of them are taken to be; not given: all. Null: nobody knows. */
  readonly known?: number | null;
  /** The share of results that are audits; the others are gold. */
  readonly audits: number;
  readonly experts: number;
  readonly seed: number;
}

const RESULTS = 60;

/** The share of experts who are paused within sixty results, of which some are what an adjudicator said: who errs too, and errs by themselves. */
export function pausedByAudits({ experts, seed, ...audited }: Audited): number {
  const random = randomOf(seed);
  let paused = 0;
  for (let n = 0; n < experts; n++) {
    paused += Number(isPaused(audited, random));
  }
  return paused / experts;
}

function isPaused(
  { accuracy, adjudicator, believed, classes, known = classes, audits }: Omit<Audited, 'experts' | 'seed'>,
  random: () => number,
): boolean {
  const answered = (right: number) => (random() < right ? 0 : 1 + Math.floor(random() * (classes - 1)));
  let state = NOT_PAUSED;
  for (let n = 0; n < RESULTS; n++) {
    const isAudit = random() < audits;
    const truth = isAudit ? answered(adjudicator) : 0;
    const credit = answered(accuracy) === truth ? 1 : 0;
    const result = isAudit
      ? { id: '', credit, trust: believed, chance: chanceOf(believed, known) }
      : { id: '', credit };
    state = stepPause(state, { kind: 'RESULT', ...result, atMs: n }).state;
    if (state.phase === 'PAUSED') {
      return true;
    }
  }
  return false;
}
