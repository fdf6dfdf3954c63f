/** graphql-ws tells nobody that a client completed a query which still runs: it is looked for this often. */
const LOOK_MS = 200;

/** What ends a query of a socket when its client waits for it no more. */
export interface QueryEnd {
  /** Aborts when the socket has gone, or while {@link watching} the client has completed the query. */
  readonly signal: AbortSignal;
  /** Watches while the query runs. */
  watching<T>(run: () => Promise<T>): Promise<T>;
}

/** @param isWanted whether the client has not completed the query */
export function queryEnd(gone: AbortSignal, isWanted: () => boolean): QueryEnd {
  const ended = new AbortController();
  const end = () => ended.abort();
  return {
    signal: ended.signal,
    async watching(run) {
      const look = setInterval(() => isWanted() || end(), LOOK_MS);
      gone.addEventListener('abort', end);
      try {
        return await run();
      } finally {
        clearInterval(look);
        gone.removeEventListener('abort', end);
      }
    },
  };
}
