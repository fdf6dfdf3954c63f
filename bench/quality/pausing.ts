import { NOT_PAUSED, type PauseState, stepPause } from '../../src/services/quality/pausing/pause.js';
import { type Random, randomOf } from '../../test/soak/random.js';

/** Shares of simulated experts of one accuracy, 0 to 1. */
export interface PauseShares {
  readonly paused: number;
  readonly warned: number;
  /** Of a re-test begun at once, without change: returned. */
  readonly returned: number;
}

const RESULTS = 60;

/** What becomes of experts of one accuracy within sixty gold. */
export function simulatePauses(
  accuracy: number,
  { experts, seed }: { experts: number; seed: number },
): PauseShares {
  const random = randomOf(seed);
  const outcomes = Array.from({ length: experts }, () => ({
    phases: phasesAtWork(accuracy, random),
    retest: phaseAfterRetest(accuracy, random),
  }));
  const share = (is: (outcome: (typeof outcomes)[number]) => boolean) => outcomes.filter(is).length / experts;
  return {
    paused: share(({ phases }) => phases.has('PAUSED')),
    warned: share(({ phases }) => phases.has('WARNED')),
    returned: share(({ retest }) => retest === 'CLEAR'),
  };
}

function phasesAtWork(accuracy: number, random: Random): Set<string> {
  const phases = new Set<string>();
  let state = NOT_PAUSED;
  for (let n = 0; n < RESULTS; n++) {
    state = withResult(state, accuracy, random);
    phases.add(state.phase);
  }
  return phases;
}

function phaseAfterRetest(accuracy: number, random: Random): string {
  const paused: PauseState = { ...NOT_PAUSED, phase: 'PAUSED', reason: 'ACCURACY_BELOW_BAR', sinceMs: 0 };
  let state = stepPause(paused, { kind: 'RETEST', atMs: 0 }).state;
  while (state.phase === 'RETEST') {
    state = withResult(state, accuracy, random);
  }
  return state.phase;
}

function withResult(state: PauseState, accuracy: number, random: Random): PauseState {
  const credit = random() < accuracy ? 1 : 0;
  return stepPause(state, { kind: 'RESULT', id: '', credit, atMs: 0 }).state;
}
