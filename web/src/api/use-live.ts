import { useEffect, useRef, useState } from 'react';
import { type Liveness, type LiveOptions, listen } from './live.js';

type Shown<Item> = {
  readonly liveness: Liveness;
  readonly item: Item | null;
  readonly refused: string | null;
};

const NOTHING = { liveness: { kind: 'CONNECTING' }, item: null, refused: null } as const;

/**
 * The newest item of a live field, for as long as the component is shown; `onItem` is told of each, and after a lost connection
 * of what is so then (docs/live.md). The options are those of the first rendering for each `key`.
 */
export function useLive<Data, Variables, Item>(
  key: string,
  options: Pick<LiveOptions<Data, Variables, Item>, 'document' | 'variables' | 'itemOf'> & {
    onItem?: (item: Item) => void;
  },
): Shown<Item> {
  const latest = useRef(options);
  latest.current = options;
  const [shown, setShown] = useState<Shown<Item> & { of: string }>({ ...NOTHING, of: key });
  useEffect(() => {
    // What was told of something else is not shown for this.
    setShown((before) => (before.of === key ? before : { ...NOTHING, of: key }));
    const stop = new AbortController();
    void listen<Data, Variables, Item>({
      ...latest.current,
      onItem: (item) => {
        setShown((before) => ({ ...before, item }));
        latest.current.onItem?.(item);
      },
      onLiveness: (liveness) => setShown((before) => ({ ...before, liveness })),
      onRefused: (refused) => setShown((before) => ({ ...before, refused })),
      signal: stop.signal,
    });
    return () => stop.abort();
  }, [key]);
  return shown;
}
