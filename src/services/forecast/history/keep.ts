import type { Tx } from '../../platform/database.js';
import type { Judged } from '../forecast.sql.js';
import { keptAt } from '../quantiles.js';
import { sampleOf } from '../sample.js';
import { brierOf, crpsOf, pinballOf } from '../scores.js';
import { shareOf } from './history.js';
import * as sql from './keep.sql.js';

/** Quantiles by which a forecast is scored beside its whole. */
export const PINBALL_AT = [0.1, 0.25, 0.5, 0.75, 0.9] as const;

/**
 * Keeps what finished batches will have to teach, and holds forecasts to account: how far a batch is at each twentieth of its
 * answers, and the forecast made there or where its risk changed; once it has ended, what became of those. A batch that
 * goes on after its end takes that back.
 */
export async function keepForecasts(tx: Tx, judged: readonly Judged[]): Promise<void> {
  const wasOtherwise = judged.filter(
    ({ wasEndedAt, ...now }) => wasEndedAt !== null && endOf(now) !== wasEndedAt.getTime(),
  );
  await whereAny(wasOtherwise, (batches) => sql.unscore(tx, batches));
  await logDue(tx, judged);
  const ended = judged.filter((one) => endOf(one) !== null && endOf(one) !== one.wasEndedAt?.getTime());
  await whereAny(ended, (batches) => score(tx, batches));
}

/** When a batch was done, in milliseconds; null while something is to come. */
const endOf = ({ remaining, answers, lastAnswerAt }: Omit<Judged, 'wasEndedAt'>): number | null =>
  remaining === 0 && answers > 0 ? (lastAnswerAt?.getTime() ?? null) : null;

async function logDue(tx: Tx, judged: readonly Judged[]): Promise<void> {
  const open = judged
    .filter(({ remaining }) => remaining > 0)
    .map((one) => ({ ...one, share: shareOf(one) }));
  const reached = open.filter(({ share }) => share > 0);
  const marked = new Set(
    (await whereAny(reached, (batches) => sql.markProgress(tx, batches)))?.map(({ batchId }) => batchId),
  );
  const due = open.filter(
    ({ batchId, seconds, atRisk, wasAtRisk }) =>
      seconds !== null && (marked.has(batchId) || atRisk !== wasAtRisk),
  );
  await whereAny(due, (batches) => sql.logForecasts(tx, batches));
}

async function score(tx: Tx, ended: readonly Judged[]): Promise<void> {
  const ends = new Map(ended.map((one) => [one.batchId, endOf(one) ?? 0]));
  const outcomes = (await sql.unscoredOf(tx, ended)).map((row) =>
    outcomeOf(row, new Date(ends.get(row.batchId) ?? 0)),
  );
  await whereAny(outcomes, (rows) => sql.scoreForecasts(tx, rows));
}

/** What became of one forecast whose batch was done at a moment. */
export function outcomeOf(
  { tenantId, id, madeAt, seconds, deadline, probability }: sql.Unscored,
  endedAt: Date,
): sql.Outcome {
  const actual = Math.max(0, (endedAt.getTime() - madeAt.getTime()) / 1000);
  const at = (share: number) => keptAt(seconds, share);
  return {
    tenantId,
    id,
    endedAt,
    crpsSeconds: crpsOf(sampleOf(seconds), actual),
    pinballSeconds: PINBALL_AT.map((share) => pinballOf(at(share), share, actual)),
    brier: deadline === null || probability === null ? null : brierOf(probability, endedAt <= deadline),
    held: at(0.1) <= actual && actual <= at(0.9),
    afterMedian: actual > at(0.5),
  };
}

async function whereAny<T, R>(
  rows: readonly T[],
  work: (rows: readonly T[]) => Promise<R>,
): Promise<R | null> {
  return rows.length === 0 ? null : work(rows);
}
