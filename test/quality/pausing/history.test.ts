import { expect, test } from 'vitest';
import { type KeptPause, standingOf } from '../../../src/services/quality/pausing/history.js';

// Of the same millisecond, pauses by humans and their ends stand as they followed each other.

const AT = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-01T00:00:01Z');

const pause = (times: Partial<KeptPause>): KeptPause => ({
  pausedAt: AT,
  resumedAt: null,
  byResults: false,
  withdrew: false,
  returned: false,
  ...times,
});

const standing = (...pauses: KeptPause[]) => {
  const { state, notices } = standingOf({ results: [], pauses, retests: [] });
  return [state.phase, notices.map(({ phase }) => phase)];
};

test('a pause that is lifted in the millisecond in which it was set is over', () => {
  expect(standing(pause({ resumedAt: AT }))).toEqual(['CLEAR', ['PAUSED', 'CLEAR']]);
});

test('a pause that is set in the millisecond in which the one before was lifted holds', () => {
  expect(standing(pause({ resumedAt: LATER }), pause({ pausedAt: LATER }))).toEqual([
    'PAUSED',
    ['PAUSED', 'CLEAR', 'PAUSED'],
  ]);
});

test('pauses and lifts of one millisecond alternate as they came', () => {
  const quick = pause({ resumedAt: AT });
  expect(standing(quick, quick, pause({}))[0]).toBe('PAUSED');
  expect(standing(quick, quick, quick)[0]).toBe('CLEAR');
});
