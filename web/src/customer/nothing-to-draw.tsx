import { told } from '../parts/bidi.js';
import type { LiveBatch } from './use-project.js';

/** Stands in for the burn-up of batches that no answer is wanted of: why there is none, and what to do about it. */
export function NothingToDraw({ batches }: { batches: readonly LiveBatch[] }) {
  if (batches.some(({ state }) => state === 'STORING')) {
    return <p>What was uploaded is being stored. This is drawn as soon as there are tasks.</p>;
  }
  return (
    <>
      <p>{batches.length === 1 ? 'No task came of this batch:' : 'No task came of any of these batches:'}</p>
      <ul>
        {batches.slice(0, SHOWN).map((batch) => (
          <li key={batch.id}>
            <b>{told(batch.name)}</b>: {told(whyOf(batch))}
          </li>
        ))}
      </ul>
      {batches.every(({ state }) => state === 'CANCELLED') ? null : (
        <p>Mend the file and upload it again below: its rows are looked at there before anything is sent.</p>
      )}
    </>
  );
}

const SHOWN = 5;

function whyOf({ state, failure, errorCount }: LiveBatch): string {
  if (failure) {
    return failure;
  }
  if (state === 'CANCELLED') {
    return 'it was cancelled.';
  }
  return Number(errorCount) > 0
    ? 'none of its rows is a task; what is wrong with each is told below.'
    : 'it has no task.';
}
