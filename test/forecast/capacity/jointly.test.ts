import { describe, expect, test } from 'vitest';
import { type InFutures, jointly } from '../../../src/services/forecast/capacity/jointly.js';
import { outlook } from '../../../src/services/forecast/capacity/outlook.js';
import { hoursOf } from '../support/even-hours.js';

// What several batches of a project come to at once.
const DAY = 86_400;
const SKILL = 7n;

interface Alike {
  readonly dueDays: number | null;
  readonly doneDays: number;
  readonly lacking?: number;
  readonly share?: number;
  readonly workHours?: number;
}

/** A batch that goes alike in all futures. */
function batch({ dueDays, doneDays, lacking = 0, share = 0, workHours = 100 }: Alike): InFutures {
  const all = (value: number) => new Float64Array(199).fill(value);
  return {
    worlds: all(doneDays * DAY),
    secondsLeft: dueDays === null ? null : dueDays * DAY,
    futures: {
      done: new Map([[SKILL, all(doneDays * DAY)]]),
      lacking: [{ skillId: SKILL, hours: all(lacking), workHours }],
      shares: all(share),
      items: 100,
    },
  };
}

describe('what would have all in time', () => {
  test('is nothing for what has no deadline', () => {
    const due = { dueDays: 4, doneDays: 5, lacking: 20, share: 0.2 };
    const found = jointly([batch({ dueDays: null, doneDays: 7_300, lacking: 500, share: 1 }), batch(due)]);
    expect(found?.hours.get(SKILL)).toBeCloseTo(1.15 * 20, 6);
    // A fifth, of the tasks of both.
    expect(found?.dropTasks).toBe(40);
    const none = jointly([
      batch({ dueDays: null, doneDays: 7_300, lacking: 500, share: 1 }),
      batch({ ...due, dueDays: null }),
    ]);
    expect([none?.chance, none?.hours.size, none?.dropTasks]).toEqual([null, 0, null]);
  });

  test('comes at the pace at which it is needed', () => {
    const soon = batch({ dueDays: 1, doneDays: 2, lacking: 10, share: 0.1 });
    const later = batch({ dueDays: 4, doneDays: 5, lacking: 25, share: 0.2 });
    expect(jointly([soon, later])?.hours.get(SKILL)).toBeCloseTo(1.15 * 40, 6);
    expect(jointly([later])?.hours.get(SKILL)).toBeCloseTo(1.15 * 25, 6);
  });

  test('is of all that is served before, whichever is the older', () => {
    const soon = batch({ dueDays: 1, doneDays: 0.5, workHours: 90 });
    const later = batch({ dueDays: 4, doneDays: 5, lacking: 10, share: 1, workHours: 10 });
    // A tenth of the hundred hours of both.
    expect(jointly([later, soon])?.dropTasks).toBe(20);
    expect(jointly([soon, later])?.dropTasks).toBe(20);
  });
});

test('nothing is short of what is done when it is done', () => {
  const works = Array.from({ length: 12 }, (_, place) => ({
    ...{ id: BigInt(place + 1), projectId: 1n, workClass: place % 2, items: 900, handlingSeconds: 300 },
    ...{ seconds: 3_600 * (7 + place * 3.7), spread: 0.3, leaseSeconds: 600, deadlineSeconds: null },
  }));
  const experts = [hoursOf([0], 11), hoursOf([0, 1], 23), hoursOf([1], 17), hoursOf([0, 1], 7)];
  const told = outlook({ now: new Date('2026-03-02T00:00:00Z'), experts, works });
  expect(told).toHaveLength(12);
  for (const { short, worlds } of told) {
    for (const [world, seconds] of worlds.entries()) {
      expect(seconds < 365 * DAY ? short.hours[world] : 0).toBe(0);
    }
  }
});
