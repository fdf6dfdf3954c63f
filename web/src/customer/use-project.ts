import { useEffect, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import type { Liveness } from '../api/live.js';
import { useKnown } from '../api/use-known.js';
import { useLive } from '../api/use-live.js';
import {
  BatchesDocument,
  type BatchesQuery,
  type BatchRowFragment,
  ForecastingDocument,
  type ForecastingSubscription,
  ProgressingDocument,
  type ProgressingSubscription,
} from '../generated/graphql.js';

/** A batch with the forecast that was told last. */
export type LiveBatch = BatchRowFragment;

const BATCHES = 50;
/** Where a batch has come to is asked for again so often; what changes meanwhile is told by subscription. */
const BURN_UP_MS = 20_000;

const progressOf = (data: ProgressingSubscription) => data.projectProgress;
const forecastOf = (data: ForecastingSubscription) => data.forecast;

/** What is known of a project just now: told by two subscriptions, which come back by themselves after a sleep. */
export function useProjectLive(projectId: string) {
  const progress = useLive(`progress ${projectId}`, {
    document: ProgressingDocument,
    variables: { projectId },
    itemOf: progressOf,
  });
  const forecast = useLive(`forecast ${projectId}`, {
    document: ForecastingDocument,
    variables: { projectId },
    itemOf: forecastOf,
  });
  return {
    progress: progress.item,
    forecast: forecast.item,
    liveness: worseOf(progress.liveness, forecast.liveness),
    refused: progress.refused ?? forecast.refused,
  };
}

/** As live as the less live of two. */
function worseOf(one: Liveness, other: Liveness): Liveness {
  return one.kind === 'LIVE' ? other : one;
}

/** A page of a project's batches, the newest of it first, each with its latest forecast. */
export function useBatches(projectId: string, forecast: ForecastingSubscription['forecast'] | null) {
  const [after, setAfter] = useState<string | null>(null);
  const variables = { projectId, first: BATCHES, after };
  const [result, again] = useQuery({ query: BatchesDocument, variables });
  useEffect(() => {
    const timer = setInterval(() => again({ requestPolicy: 'network-only' }), BURN_UP_MS);
    return () => clearInterval(timer);
  }, [again]);
  const node = useKnown(result, `${projectId} ${after}`)?.node;
  const connection = node?.__typename === 'Project' ? node.batches : null;
  const batches = useMemo(() => withForecasts(connection, forecast), [connection, forecast]);
  return {
    batches,
    /** The way to the other pages; null where this is all there is. */
    pages:
      connection && (after !== null || connection.pageInfo.hasNextPage)
        ? { isFirst: after === null, next: connection.pageInfo, turn: setAfter }
        : null,
    error: result.error,
    again: () => again({ requestPolicy: 'network-only' }),
  };
}

type Connection = Extract<NonNullable<BatchesQuery['node']>, { __typename?: 'Project' }>['batches'];

function withForecasts(
  connection: Connection | null,
  forecast: ForecastingSubscription['forecast'] | null,
): readonly LiveBatch[] | null {
  const told = new Map(forecast?.batches.map((one) => [one.batchId, one.forecast]));
  return (
    connection?.edges.map(({ node: batch }) => {
      const latest = told.get(batch.id);
      return latest === undefined ? batch : { ...batch, forecast: latest };
    }) ?? null
  );
}

/** Which of a project's batches are shown, where they are not all. */
export type BatchPages = ReturnType<typeof useBatches>['pages'];

/** This machine's time, each second anew. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
