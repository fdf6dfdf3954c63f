import { useEffect, useRef, useState } from 'react';
import { useQuery } from 'urql';
import type { Liveness } from '../api/live.js';
import { useKnown } from '../api/use-known.js';
import { GoingOnDocument } from '../generated/graphql.js';

const EVERY_MS = 2_000;
/** A server that does not answer is asked less often with each time that it did not. */
const EVERY_MOST_MS = 8_000;
/** What was asked so long ago is asked again, whatever became of the first. */
const HUNG_MS = 10_000;
/** Without an answer for so long it is not live. */
const STALE_MS = 8_000;

/**
 * What goes on in the tenant, asked for every two seconds for as long as the page is looked at, and at once when somebody
 * comes back to it. What is known stays while there is no answer; `liveness` says of when it is.
 */
export function useGoingOn() {
  const [asked, ask] = useQuery({ query: GoingOnDocument });
  const failures = useRef(0);
  useEffect(() => {
    const again = () => {
      if (!document.hidden) {
        ask({ requestPolicy: 'network-only' });
      }
    };
    if (!asked.fetching) {
      failures.current = asked.error ? failures.current + 1 : 0;
    }
    const waitMs = asked.fetching ? HUNG_MS : Math.min(EVERY_MS * 2 ** failures.current, EVERY_MOST_MS);
    const timer = setTimeout(again, waitMs);
    document.addEventListener('visibilitychange', again);
    addEventListener('online', again);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', again);
      removeEventListener('online', again);
    };
  }, [asked, ask]);
  const data = useKnown(asked, '');
  const liveness = useLiveness(data?.activity.at);
  return { result: { ...asked, data }, liveness, again: () => ask({ requestPolicy: 'network-only' }) };
}

/** Live for as long as answers come that differ; `answer` is what the last one was of. */
function useLiveness(answer: string | undefined): Liveness {
  const [liveness, setLiveness] = useState<Liveness>({ kind: 'CONNECTING' });
  useEffect(() => {
    if (answer === undefined) {
      return;
    }
    const since = Date.now();
    setLiveness({ kind: 'LIVE' });
    const timer = setTimeout(() => setLiveness({ kind: 'AWAY', since }), STALE_MS);
    return () => clearTimeout(timer);
  }, [answer]);
  return liveness;
}
