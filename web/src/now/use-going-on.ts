import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import type { Liveness } from '../api/live.js';
import { GoingOnDocument } from '../generated/graphql.js';

const EVERY_MS = 2_000;
/** Without an answer for so long it is not live. */
const STALE_MS = 8_000;

/** What goes on in the tenant, asked for every two seconds for as long as the page is looked at. */
export function useGoingOn() {
  const [result, again] = useQuery({ query: GoingOnDocument });
  useEffect(() => {
    const ask = () => {
      if (!document.hidden) {
        again({ requestPolicy: 'network-only' });
      }
    };
    const timer = setInterval(ask, EVERY_MS);
    document.addEventListener('visibilitychange', ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [again]);
  const liveness = useLiveness(result.error === undefined ? result.data?.activity.at : undefined);
  return { result, liveness, again: () => again({ requestPolicy: 'network-only' }) };
}

/** Live for as long as answers come that differ; `answer` is what the last one was of, none where it failed. */
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
