import { useCallback, useEffect, useRef } from 'react';
import type { CombinedError } from 'urql';
import type { Liveness } from './live.js';

/** A crowd of changes, as of a state that is told item by item, is asked about once. */
const TOGETHER_MS = 100;
/** What could not be brought up to date is tried again after so long. */
const AGAIN_MS = 5_000;

interface Asked {
  readonly data?: unknown;
  readonly fetching: boolean;
  readonly error?: CombinedError | undefined;
}

/**
 * Keeps an answer up to date with what a live field tells: `refresh` for each item, `asLive` for how live that leaves the
 * page. While the answer could not be had it is not live, whatever the field tells, and is asked for again.
 */
export function useRefresh({ data, fetching, error }: Asked, ask: () => void) {
  const asks = useRef(ask);
  asks.current = ask;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const answeredAt = useRef(Date.now());
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (data !== undefined && error === undefined) {
      answeredAt.current = Date.now();
    }
  }, [data, error]);
  const isRefused = error?.graphQLErrors.some(({ extensions }) => extensions.code === 'FORBIDDEN') ?? false;
  const isFailed = error !== undefined && !fetching && !isRefused;
  useEffect(() => {
    if (isFailed) {
      const again = setTimeout(() => asks.current(), AGAIN_MS);
      return () => clearTimeout(again);
    }
  }, [isFailed]);
  const refresh = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      asks.current();
    }, TOGETHER_MS);
  }, []);
  const asLive = (told: Liveness): Liveness =>
    told.kind === 'LIVE' && error !== undefined ? { kind: 'AWAY', since: answeredAt.current } : told;
  return { refresh, asLive };
}
