import { lazy, Suspense, useEffect, useState } from 'react';
import { Button } from '../parts/button.js';
import { isPicture } from './embedded.js';
import { Value } from './value.js';

const Differences = lazy(() =>
  import('./differences-view.js').then((module) => ({ default: module.Differences })),
);

/** The page's key for what differs (work/keys.ts). */
export const DIFF_EVENT = 'touchstone:diff';

/** Two answers side by side, and on request what differs between them: word by word, of data field by field. */
export function Pair({ left, right }: { left: unknown; right: unknown }) {
  const [isDiff, setDiff] = useState(false);
  const isComparable = ![left, right].some((side) => typeof side === 'string' && isPicture(side));
  useEffect(() => {
    const toggle = () => setDiff((before) => !before);
    addEventListener(DIFF_EVENT, toggle);
    return () => removeEventListener(DIFF_EVENT, toggle);
  }, []);
  return (
    <div>
      <div className="pair">
        <Side name="Left" value={left} />
        <Side name="Right" value={right} />
      </div>
      {isComparable ? (
        <>
          <Button look="quiet" hint="d" onPress={() => setDiff(!isDiff)} aria-expanded={isDiff}>
            {isDiff ? 'Hide what differs' : 'Show what differs'}
          </Button>
          {isDiff ? (
            <section className="card" aria-label="From left to right">
              <p className="hint">From left to right: struck through is only left, marked only right.</p>
              <Suspense fallback={<p className="hint">Comparing …</p>}>
                <Differences left={left} right={right} />
              </Suspense>
            </section>
          ) : null}
        </>
      ) : null}
    </div>
  );
}

function Side({ name, value }: { name: string; value: unknown }) {
  return (
    <section className="side card" aria-label={name}>
      <h2>{name}</h2>
      <Value value={value} label={name} />
    </section>
  );
}
