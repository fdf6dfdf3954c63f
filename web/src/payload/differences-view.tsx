import { useMemo, useState } from 'react';
import { shown, told } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { isDeeper } from './depth.js';
import { type Difference, differencesOf } from './differences.js';
import { isPicture } from './embedded.js';
import { WordsDiff } from './words-diff.js';

/** So many places at a time. */
const STEP = 50;
/** What is nested deeper is compared as the text that it is. */
const DEPTH = 50;

/** What differs between two answers: of texts the words, of data each field that is not the same, with its words. */
export function Differences({ left, right }: { left: unknown; right: unknown }) {
  const data = useMemo(() => dataOf(left, right), [left, right]);
  if (data !== null) {
    return <Fields {...data} />;
  }
  return left === right ? <Same /> : <WordsDiff left={written(left)} right={written(right)} />;
}

function Fields({ left, right }: { left: object; right: object }) {
  const differences = useMemo(() => differencesOf(left, right), [left, right]);
  const [shown, setShown] = useState(STEP);
  const rest = differences.length - shown;
  if (differences.length === 0) {
    return <Same />;
  }
  return (
    <>
      <dl className="named differences">
        {differences.slice(0, shown).map((difference) => (
          <div key={JSON.stringify(difference.path)}>
            <dt>{difference.path.map(told).join(' › ') || 'All of it'}</dt>
            <dd>
              <Changed {...difference} />
            </dd>
          </div>
        ))}
      </dl>
      {rest > 0 ? (
        <Button look="quiet" onPress={() => setShown(shown + STEP)}>
          Show {Math.min(rest, STEP)} more of {rest.toLocaleString()}
        </Button>
      ) : null}
    </>
  );
}

function Changed({ left, right }: Difference) {
  if (typeof left === 'string' && typeof right === 'string' && !isPicture(left) && !isPicture(right)) {
    return <WordsDiff left={left} right={right} />;
  }
  return (
    <div className="diff document-text">
      {left === undefined ? null : <del>{shown(written(left))}</del>}
      {left === undefined || right === undefined ? null : ' '}
      {right === undefined ? null : <ins>{shown(written(right))}</ins>}
    </div>
  );
}

const Same = () => <p>Nothing differs: both say the same.</p>;

/** Two sides that are data, also where they came as text of JSON; null where they are not both. */
function dataOf(left: unknown, right: unknown): { left: object; right: object } | null {
  const [one, other] = [objectOf(left), objectOf(right)];
  return one !== null && other !== null && Array.isArray(one) === Array.isArray(other)
    ? { left: one, right: other }
    : null;
}

function objectOf(value: unknown): object | null {
  if (typeof value === 'string' && /^\s*[[{]/.test(value) && !isDeeper(value, DEPTH)) {
    try {
      return objectOf(JSON.parse(value));
    } catch {
      return null;
    }
  }
  return typeof value === 'object' ? value : null;
}

function written(value: unknown): string {
  if (typeof value === 'string') {
    return isPicture(value) ? '(a picture)' : value;
  }
  return (
    JSON.stringify(
      value,
      (_name, part) => (typeof part === 'string' && isPicture(part) ? '(a picture)' : part),
      2,
    ) ?? ''
  );
}
