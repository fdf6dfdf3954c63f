import { useId } from 'react';
import type { HowFarFragment } from '../generated/graphql.js';
import { partOf } from '../parts/format.js';

/** How many of the answers that are wanted are in: as a bar, and in figures. */
export function Progress({
  progress,
}: {
  progress: Pick<HowFarFragment, 'answersCounted' | 'answersWanted' | 'leased'>;
}) {
  const label = useId();
  const { answersCounted, answersWanted, leased } = progress;
  return (
    <div className="progress">
      <progress value={answersCounted} max={Math.max(1, answersWanted)} aria-labelledby={label} />
      <span id={label}>
        {answersCounted.toLocaleString()} of {answersWanted.toLocaleString()} answers
        {answersWanted === 0 ? '' : ` (${partOf(answersCounted, answersWanted)})`}
        {leased > 0 ? <span className="hint">, {leased.toLocaleString()} in work</span> : null}
      </span>
    </div>
  );
}
