import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import { useKnown } from '../api/use-known.js';
import { type HowFarFragment, HowGoodDocument, type HowGoodQuery } from '../generated/graphql.js';
import { told } from '../parts/bidi.js';
import { chance } from '../parts/format.js';
import { Loaded } from '../parts/states.js';
import { useNow } from './use-project.js';

/** With answers that come every second it is asked for anew so often. */
const EVERY_MS = 20_000;

/** How sure results are, and how far experts agree; of what has come in meanwhile as well. */
export function Quality({ projectId, progress }: { projectId: string; progress: HowFarFragment }) {
  const [result, again] = useQuery({ query: HowGoodDocument, variables: { projectId } });
  const asked = Math.floor(useNow(EVERY_MS) / EVERY_MS);
  const seen = useRef({ asked, answers: progress.answersCounted });
  useEffect(() => {
    if (seen.current.asked !== asked && seen.current.answers !== progress.answersCounted) {
      again({ requestPolicy: 'network-only' });
      seen.current = { asked, answers: progress.answersCounted };
    }
  }, [asked, progress.answersCounted, again]);
  const data = useKnown(result, projectId);
  return (
    <section className="card">
      <h2>Quality</h2>
      <Loaded
        what="Quality"
        result={{ ...result, data }}
        onRetry={() => again({ requestPolicy: 'network-only' })}
      >
        {({ projectQuality }) =>
          projectQuality ? <Measured quality={projectQuality} progress={progress} /> : null
        }
      </Loaded>
    </section>
  );
}

function Measured({
  quality: { dimensions, adjudicationsDone, adjudicationsOpened },
  progress,
}: {
  quality: NonNullable<HowGoodQuery['projectQuality']>;
  progress: HowFarFragment;
}) {
  return (
    <>
      <dl className="facts">
        {dimensions.map(({ dimension, stated, statedTasks, isCalibrated, alpha, tasks }) => (
          <div key={dimension}>
            <dt>{told(dimension)}</dt>
            <dd>
              {stated == null ? 'no results yet' : `${chance(stated, 1)} sure on average`}
              <span className="hint">
                {' '}
                {stated == null ? '' : `over the latest ${statedTasks.toLocaleString()} results; `}
                {stated == null || isCalibrated
                  ? ''
                  : 'not calibrated: no tasks of known truth were drawn to hold it to, and hard ones make it too high; '}
                {alpha == null
                  ? 'agreement not known yet'
                  : `agreement α ${alpha.toFixed(2)} over ${tasks.toLocaleString()} tasks`}
              </span>
            </dd>
          </div>
        ))}
        <div>
          <dt>Disputed</dt>
          <dd>
            {adjudicationsOpened.toLocaleString()} to a stronger expert
            <span className="hint"> of which {adjudicationsDone.toLocaleString()} are decided</span>
          </dd>
        </div>
        <div>
          <dt>Cannot be answered</dt>
          <dd>
            {progress.tasksFlagged.toLocaleString()} {progress.tasksFlagged === 1 ? 'task' : 'tasks'}
          </dd>
        </div>
      </dl>
      <p className="hint">
        “Sure” is the probability of each result as it turned out on items whose answer is known.
      </p>
    </>
  );
}
