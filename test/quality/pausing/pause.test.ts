import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  foldPause,
  NOT_PAUSED,
  type PauseEvent,
  type PauseNotice,
  type PauseState,
  retestFromMs,
  stepPause,
} from '../../../src/services/quality/pausing/pause.js';

const DAY_MS = 86_400_000;

/** Plays "r" (right), "w" (wrong), "T" (re-test), "S" (set by a human), "F" (for fraud), "L" (lifted); a minute each. */
function play(script: string): { state: PauseState; notices: PauseNotice[] } {
  let state = NOT_PAUSED;
  const notices: PauseNotice[] = [];
  for (const [n, letter] of [...script].entries()) {
    const step = stepPause(state, eventOf(letter, n));
    state = step.state;
    notices.push(...(step.notice ? [step.notice] : []));
  }
  return { state, notices };
}

function eventOf(letter: string, n: number): PauseEvent {
  const atMs = (n + 1) * 60_000;
  switch (letter) {
    case 'T':
      return { kind: 'RETEST', atMs };
    case 'S':
      return { kind: 'SET', reason: 'HUMAN', atMs };
    case 'F':
      return { kind: 'SET', reason: 'FRAUD', atMs };
    case 'L':
      return { kind: 'LIFT', atMs };
    default:
      return { kind: 'RESULT', id: `fact ${n}`, credit: letter === 'r' ? 1 : 0, atMs };
  }
}

const told = (script: string) => play(script).notices.map(({ phase, reason }) => `${phase} ${reason}`);

describe('an expert', () => {
  test('who is right stays in the clear and is told nothing', () => {
    expect(play('r'.repeat(60))).toMatchObject({ state: { phase: 'CLEAR', reason: null }, notices: [] });
  });

  test('is not judged by four results', () => {
    expect(told('wwww')).toEqual([]);
  });

  test('who is wrong is warned first and paused by the next result, with the evidence', () => {
    const { state, notices } = play('wwwwww');
    expect(told('wwwwww')).toEqual(['WARNED ACCURACY_BELOW_BAR', 'PAUSED ACCURACY_BELOW_BAR']);
    expect(state).toMatchObject({ phase: 'PAUSED', sinceMs: 360_000 });
    expect(notices[1]?.evidence).toMatchObject({
      factIds: ['fact 0', 'fact 1', 'fact 2', 'fact 3', 'fact 4', 'fact 5'],
      right: 0,
      of: 6,
    });
    expect(notices[1]?.evidence.probabilityBelow).toBeGreaterThan(0.9);
  });

  test('who does better after a warning is in the clear again', () => {
    expect(told(`wrwrwrw${'r'.repeat(10)}`)).toEqual([
      'WARNED ACCURACY_BELOW_BAR',
      'CLEAR ACCURACY_RECOVERED',
    ]);
  });

  test('is not moved by results of the lease that they still held when they were paused', () => {
    expect(told('wwwwwwrrrrrrrrrrrr')).toHaveLength(2);
  });

  test('comes back by a re-test of its own results, which go on counting', () => {
    const { state, notices } = play('wwwwwwTrrrrrrrr');
    expect(notices.slice(2).map(({ reason }) => reason)).toEqual(['RETEST_BEGUN', 'RETEST_PASSED']);
    expect(state).toMatchObject({ phase: 'CLEAR', failed: 0 });
    expect(state.results).toHaveLength(8);
    expect(notices.at(-1)?.evidence).toMatchObject({ right: 8, of: 8 });
  });

  test('who fails the re-test is paused again, and waits longer for the next', () => {
    const first = play('wwwwww').state;
    const second = play('wwwwwwTwwwwwwww').state;
    const third = play('wwwwwwTwwwwwwwwTwwwwwwww').state;
    expect(second).toMatchObject({ phase: 'PAUSED', reason: 'RETEST_FAILED', failed: 1 });
    const waits = [first, second, third].map((state) => (retestFromMs(state) ?? 0) - (state.sinceMs ?? 0));
    expect(waits).toEqual([DAY_MS, 3 * DAY_MS, 7 * DAY_MS]);
  });

  test('who is undecided after twenty results of a re-test has failed it', () => {
    const { state } = play(`wwwwwwT${'rrw'.repeat(6)}rw`);
    expect(state).toMatchObject({ phase: 'PAUSED', reason: 'RETEST_FAILED' });
  });

  test('whom a human lifts starts anew: the old results pause them no more', () => {
    expect(told('wwwwwwLwwww').slice(2)).toEqual(['CLEAR HUMAN']);
    expect(told('wwwwwwLwwwwww').slice(2)).toEqual([
      'CLEAR HUMAN',
      'WARNED ACCURACY_BELOW_BAR',
      'PAUSED ACCURACY_BELOW_BAR',
    ]);
  });

  test.each([
    { letter: 'S', reason: 'HUMAN' },
    { letter: 'F', reason: 'FRAUD' },
  ])('is paused by hand without a warning ($reason), and returns by a human only', ({ letter, reason }) => {
    expect(told(`rr${letter}`)).toEqual([`PAUSED ${reason}`]);
    expect(retestFromMs(play(`rr${letter}`).state)).toBeNull();
    expect(told(`rr${letter}T`)).toEqual([`PAUSED ${reason}`]);
    expect(told(`rr${letter}L`)).toEqual([`PAUSED ${reason}`, 'CLEAR HUMAN']);
  });

  test('in the clear has no re-test', () => {
    expect(told('rrT')).toEqual([]);
    expect(retestFromMs(NOT_PAUSED)).toBeNull();
  });
});

describe('whatever happens', () => {
  const scripts = fc.string({ unit: fc.constantFrom('r', 'w', 'w', 'T', 'S', 'L'), maxLength: 120 });

  test('results pause nobody who was not warned before', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const { notices } = play(script);
        for (const [n, { phase, reason }] of notices.entries()) {
          if (phase === 'PAUSED' && reason === 'ACCURACY_BELOW_BAR') {
            expect(notices[n - 1]?.phase).toBe('WARNED');
          }
        }
      }),
    );
  });

  test('the state kept in JSON and stepped is the fold of all events', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const events = [...script].map(eventOf);
        const stepped = events.reduce<PauseState>(
          (state, event) => stepPause(JSON.parse(JSON.stringify(state)), event).state,
          NOT_PAUSED,
        );
        expect(stepped).toEqual(foldPause(events));
      }),
    );
  });

  test('a phase never changes without a notice', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        let state = NOT_PAUSED;
        for (const [n, letter] of [...script].entries()) {
          const step = stepPause(state, eventOf(letter, n));
          expect(step.notice !== null || step.state.phase === state.phase).toBe(true);
          expect(step.notice === null || step.notice.phase === step.state.phase).toBe(true);
          state = step.state;
        }
      }),
    );
  });
});
