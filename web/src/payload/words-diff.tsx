import { diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import { shown } from '../parts/bidi.js';

/** Comparing takes longer with the square of what differs: past this the two stand side by side and no more. */
const LIMIT_MS = 400;

/** The second text as it came out of the first: what is gone struck through, what is new marked. */
export function WordsDiff({ left, right }: { left: string; right: string }) {
  const parts = useMemo(() => diffWordsWithSpace(left, right, { timeout: LIMIT_MS }), [left, right]);
  if (parts === undefined) {
    return <p className="hint">These two differ too much to be compared word by word.</p>;
  }
  return (
    <div className="diff document-text">
      {parts.map(({ value, added, removed }, index) => {
        const [key, text] = [`${index} ${value.length}`, shown(value)];
        if (added) {
          return <ins key={key}>{text}</ins>;
        }
        return removed ? <del key={key}>{text}</del> : <span key={key}>{text}</span>;
      })}
    </div>
  );
}
