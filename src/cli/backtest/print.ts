import { BACKTEST_METHODS, type BacktestResult } from '../../services/forecast/backtest/backtest.js';
import type { Scores } from '../../services/forecast/backtest/scoring.js';

const NAMES = {
  ours: 'ours',
  average: 'average rate',
  monteCarlo: 'own throughput, Monte Carlo',
  blend: 'blend',
} as const;

const COLUMNS: readonly (readonly [head: string, of: (scores: Scores) => string])[] = [
  ['Brier', ({ brier }) => figure(brier)],
  ['CRPS h', ({ crpsHours }) => figure(crpsHours)],
  ['80 % holds', ({ coverage80 }) => figure(coverage80)],
  ['width h', ({ width80Hours }) => figure(width80Hours)],
  ['by q90', ({ q90Coverage }) => figure(q90Coverage)],
  ['after median', ({ medianExceeded }) => figure(medianExceeded)],
];

/** A table for people: for each progress a line a method. */
export function printedBacktest(results: Readonly<Record<string, BacktestResult>>): string {
  const heads = line(
    'method',
    COLUMNS.map(([head]) => head),
  );
  return Object.entries(results)
    .flatMap(([percent, result]) => [
      `At ${percent} % of the answers: ${result.ours.batches} batches`,
      heads,
      ...BACKTEST_METHODS.map((method) =>
        line(
          NAMES[method],
          COLUMNS.map(([, of]) => of(result[method])),
        ),
      ),
      '',
    ])
    .join('\n');
}

const line = (name: string, cells: readonly string[]): string =>
  `${name.padEnd(30)}${cells.map((cell) => cell.padStart(14)).join('')}`;

const figure = (value: number | null): string => (value === null ? '–' : value.toFixed(3));
