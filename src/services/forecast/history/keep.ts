import type { Tx } from '../../platform/database.js';
import { FAR_SECONDS } from '../forecast.js';
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
 * answers, and the forecast made there or where its risk changed; once it has ended, what became of those. That is by its first end: a
 * batch that goes on later was done all the same, and nothing more of it is kept (decision 162). An end that did not last takes that back.
 */
export async function keepForecasts(tx: Tx, judged: readonly Kept[]): Promise<void> {
  const otherwise = judged.filter(
    ({ wasFirstEndedAt, firstEndedAt }) => wasFirstEndedAt?.getTime() !== firstEndedAt?.getTime(),
  );
  await whereAny(
    otherwise.filter(({ wasFirstEndedAt }) => wasFirstEndedAt !== null),
    (batches) => sql.unscore(tx, batches),
  );
  await logDue(tx, judged);
  await whereAny(
    otherwise.filter(({ firstEndedAt }) => firstEndedAt !== null),
    (batches) => score(tx, batches),
  );
}

/** With when it was first done, if it was. */
type Kept = Judged & { readonly firstEndedAt: Date | null };

async function logDue(tx: Tx, judged: readonly Kept[]): Promise<void> {
  const open = judged
    .filter(({ remaining, firstEndedAt }) => remaining > 0 && firstEndedAt === null)
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

async function score(tx: Tx, ended: readonly Kept[]): Promise<void> {
  const ends = new Map(ended.map(({ batchId, firstEndedAt }) => [batchId, firstEndedAt]));
  const outcomes = (await sql.unscoredOf(tx, ended)).map((row) =>
    outcomeOf(row, ends.get(row.batchId) ?? new Date(0)),
  );
  await whereAny(outcomes, (rows) => sql.scoreForecasts(tx, rows));
}

/** What became of one forecast whose batch was done at a moment. Never is no distance: one that said so has none. */
export function outcomeOf(
  { tenantId, id, madeAt, seconds, deadline, probability }: sql.Unscored,
  endedAt: Date,
): sql.Outcome {
  const actual = Math.max(0, (endedAt.getTime() - madeAt.getTime()) / 1000);
  const at = (share: number) => keptAt(seconds, share);
  const saysNever = seconds.some((one) => one > FAR_SECONDS);
  return {
    tenantId,
    id,
    endedAt,
    crpsSeconds: saysNever ? null : crpsOf(sampleOf(seconds), actual),
    pinballSeconds: saysNever ? null : PINBALL_AT.map((share) => pinballOf(at(share), share, actual)),
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
