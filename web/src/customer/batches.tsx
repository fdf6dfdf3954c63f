import { useState } from 'react';
import type { BatchState } from '../generated/graphql.js';
import { told } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { chance } from '../parts/format.js';
import { FaultyRows } from './faulty-rows.js';
import { dueOf, fromNow, verdictOf, when } from './outlook.js';
import { Progress } from './progress.js';
import type { BatchPages, LiveBatch } from './use-project.js';

const STATES: Record<BatchState, { text: string; tone: string }> = {
  STORING: { text: 'being stored', tone: '' },
  OPEN: { text: 'open', tone: '' },
  COMPLETED: { text: 'done', tone: 'tag-good' },
  FAILED: { text: 'failed', tone: 'tag-bad' },
  CANCELLED: { text: 'cancelled', tone: 'tag-warn' },
};

/** All answers are in, and some of them disagree. */
const WITH_A_STRONGER_EXPERT = { text: 'with a stronger expert', tone: '' };

/** It was stored, and no row of it was a task. */
const NOTHING = { text: 'no task came of it', tone: 'tag-warn' };

/** So many at first; who has hundreds asks for the rest. */
const SHOWN = 8;

/** Every batch, the newest first. */
export function Batches({
  batches,
  pages,
  now,
}: {
  batches: readonly LiveBatch[];
  pages: BatchPages;
  now: number;
}) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? batches : batches.slice(0, SHOWN);
  return (
    <section className="card">
      <h2>Batches</h2>
      {batches.length === 0 ? <p>There are none yet. Upload one below.</p> : null}
      <ul className="batches">
        {shown.map((batch) => (
          <BatchItem key={batch.id} batch={batch} now={now} />
        ))}
      </ul>
      {shown.length < batches.length ? (
        <p className="more">
          <Button onPress={() => setAll(true)}>Show all {batches.length}</Button>
        </p>
      ) : null}
      {pages === null ? null : <Turn pages={pages} count={batches.length} />}
    </section>
  );
}

function Turn({ pages: { isFirst, next, turn }, count }: { pages: NonNullable<BatchPages>; count: number }) {
  return (
    <>
      <p className="hint">
        {isFirst ? `The newest ${count} batches` : `${count} older batches`} are shown and drawn; the figures
        above are of all.
      </p>
      <p className="more">
        <Button isDisabled={isFirst} onPress={() => turn(null)}>
          Newest batches
        </Button>{' '}
        <Button isDisabled={!next.hasNextPage} onPress={() => turn(next.endCursor ?? null)}>
          Older batches
        </Button>
      </p>
    </>
  );
}

function BatchItem({ batch, now }: { batch: LiveBatch; now: number }) {
  const { name, state, deadline, createdAt, progress, forecast, failure } = batch;
  const isJudged = state === 'OPEN' && progress.tasksOpen === 0 && progress.adjudicationsOpen > 0;
  const isNothing = state === 'COMPLETED' && progress.tasksTotal === 0;
  const { text, tone } = isJudged ? WITH_A_STRONGER_EXPERT : isNothing ? NOTHING : STATES[state];
  const isOpen = state === 'OPEN' && progress.tasksOpen > 0;
  const verdict = verdictOf(forecast?.probabilityOnTime, dueOf(deadline, [], now).isPast);
  return (
    <li className="batch">
      <div className="batch-head">
        <h3>{told(name)}</h3>
        <span className={`tag ${tone}`}>{text}</span>
        {isOpen && forecast?.probabilityOnTime != null ? (
          <span className={`tag tag-${verdict.tone}`}>
            {verdict.word === 'late' ? '' : chance(forecast.probabilityOnTime)} {verdict.word}
          </span>
        ) : null}
      </div>
      <Progress progress={progress} />
      <p className="hint">
        Uploaded {when(createdAt, now)}.{' '}
        {deadline
          ? `Deadline ${when(deadline, now)}${isOpen ? ` (${fromNow(deadline, now)})` : ''}. `
          : 'No deadline. '}
        {isOpen && forecast?.expectedDoneAt ? `Expected ${when(forecast.expectedDoneAt, now)}.` : ''}
      </p>
      {failure ? <p className="fault">{told(failure)}</p> : null}
      {Number(batch.errorCount) > 0 ? <FaultyRows batchId={batch.id} count={batch.errorCount} /> : null}
    </li>
  );
}
