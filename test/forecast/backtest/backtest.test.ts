import { createReadStream } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTimedLog } from '../../../src/cli/backtest/timed-log.js';
import { backtest, forecastsAt } from '../../../src/services/forecast/backtest/backtest.js';
import {
  momentOf,
  progressOf,
  type TimedBatch,
  timedBatch,
} from '../../../src/services/forecast/backtest/timed-batch.js';
import { randomOf } from '../../../src/services/platform/random.js';
import { publicFile, testWithSets } from '../../quality/support/public-sets.js';

const drawn = (batch: string) => randomOf(1, batch);

/** Answers at these seconds, each begun a second before. */
const batchOf = (name: string, came: readonly number[]): TimedBatch =>
  timedBatch(
    name,
    came.map((createdAt) => ({ startedAt: createdAt - 1, createdAt })),
  );

/** Five batches of four answers, one after the other: half-way after 30 s, the end 70 s later. */
const FIVE = [0, 1, 2, 3, 4].map((place) =>
  batchOf(
    `past ${place}`,
    [10, 20, 30, 100].map((at) => 1000 * place + at),
  ),
);

describe('a batch of a log', () => {
  test('is half-way when answer N/2 + 1 comes, and answers of the same second are in', () => {
    const batch = batchOf('one', [5, 20, 20, 20, 100, 200]);
    expect(momentOf(batch, 0.5)).toBe(20);
    expect(progressOf(batch, 20)).toEqual({ elapsedSeconds: 16, answers: 4, remainingAnswers: 2 });
    expect(momentOf(batch, 0.75)).toBe(100);
  });
});

describe('backtest', () => {
  test('scores what can be worked out by hand', () => {
    const log = [...FIVE, batchOf('sixth', [9010, 9020, 9030, 9100])];
    const [only] = forecastsAt(log, 0.5, drawn);
    // Begun at 9009; 21 s for three answers, one is left: 7 s more. It took 70; so did the others, 10 times their speed.
    expect(only?.actual).toBe(70);
    expect([...(only?.samples.average ?? [])]).toEqual([7]);
    expect([...(only?.samples.blend ?? [])]).toEqual(Array(10).fill(70));
    // All took 91 s: of .5, 1, 1.5, 2 and 3 times that from 9009 on all are ahead.
    expect(only?.deadlines).toEqual([24.5, 70, 115.5, 161, 252]);
    const { average, blend, ours } = backtest(log, 0.5, drawn);
    expect(average).toEqual({
      batches: 1,
      // The date of 7 s is sure of all five; the first was not met.
      brier: 0.2,
      crpsHours: 63 / 3600,
      coverage80: 0,
      width80Hours: 0,
      q90Coverage: 0,
      medianExceeded: 1,
    });
    expect(blend).toMatchObject({
      brier: 0,
      crpsHours: 0,
      coverage80: 1,
      width80Hours: 0,
      medianExceeded: 0,
    });
    expect(ours).toMatchObject({ batches: 1, coverage80: 1, q90Coverage: 1 });
  });

  test('forecasts no batch of which fewer than five others had ended, and none with nothing left to come', () => {
    const tooEarly = batchOf('early', [3010, 3020, 3030, 4090]);
    const atOnce = batchOf('at once', [9000, 9000, 9000]);
    expect(forecastsAt([...FIVE, tooEarly, atOnce], 0.5, drawn)).toEqual([]);
    expect(backtest([...FIVE, tooEarly], 0.5, drawn).ours).toMatchObject({
      batches: 0,
      brier: null,
      crpsHours: null,
    });
  });

  test('no forecast sees what came after it: change the future and it says the same', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 3, maxLength: 12 });
    const log = fc
      .array(fc.tuple(fc.integer({ min: 0, max: 30_000 }), gaps), { minLength: 8, maxLength: 20 })
      .map((batches) =>
        batches.map(([start, of], place) => {
          let at = start;
          return batchOf(
            `batch ${place}`,
            of.map((gap) => {
              at += gap;
              return at;
            }),
          );
        }),
      );
    let compared = 0;
    fc.assert(
      fc.property(log, fc.nat(), fc.integer({ min: 1, max: 50_000 }), (batches, pick, later) => {
        const made = forecastsAt(batches, 0.5, drawn);
        const chosen = made[pick % Math.max(1, made.length)];
        if (chosen === undefined) {
          return;
        }
        const changed = batches.map((batch) =>
          batchOf(
            batch.name,
            [...batch.came].map((at) => (at > chosen.now ? at + later : at)),
          ),
        );
        const again = forecastsAt(changed, 0.5, drawn).find(({ batch }) => batch.name === chosen.batch.name);
        expect(again?.now).toBe(chosen.now);
        expect(again?.samples).toEqual(chosen.samples);
        compared += 1;
      }),
      { numRuns: 200 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});

testWithSets('medreldir_timed')(
  'half-way through the batches of medreldir it holds what was promised',
  async () => {
    const { batches } = await readTimedLog(createReadStream(publicFile('medreldir_timed')));
    const { ours, average, blend } = backtest(batches, 0.5, drawn);
    expect(average.crpsHours).toBeCloseTo(2, 0);
    expect(ours.batches).toBe(45);
    expect(ours.brier).toBeLessThanOrEqual((blend.brier ?? 0) + 0.02);
    expect(ours.crpsHours).toBeLessThanOrEqual(1.3);
    expect(ours.coverage80).toBeGreaterThanOrEqual(0.7);
    expect(ours.width80Hours).toBeLessThanOrEqual(blend.width80Hours ?? 0);
    expect(ours.medianExceeded).toBeGreaterThanOrEqual(0.35);
    expect(ours.medianExceeded).toBeLessThanOrEqual(0.65);
  },
);
