import type { ActivityKind, GoingOnQuery } from '../generated/graphql.js';
import { duration, money, percent, zone } from '../parts/format.js';
import { LiveTag } from '../parts/live-tag.js';
import { Loaded } from '../parts/states.js';
import { Latest } from './latest.js';
import { Pulse } from './pulse.js';
import { useGoingOn } from './use-going-on.js';
import './now.css';

type Activity = GoingOnQuery['activity'];

const NAMES: Record<ActivityKind, string> = {
  CLAIM: 'Tasks taken',
  SUBMIT: 'Answers in',
  GOLD_RESULT: 'Gold results',
  PAYOUT: 'Booked for experts',
  EXPIRY: 'Leases run out',
};

/** What goes on in the tenant just now: how often each thing happened in the last minute, and what happened last. */
export function NowPage() {
  const { result, liveness, again } = useGoingOn();
  return (
    <div className="page">
      <h1>
        Just now <LiveTag liveness={liveness} />
      </h1>
      <p className="hint">
        The last minute, brought up to date every two seconds. Times are in your zone ({zone()}).
      </p>
      <Loaded what="What goes on" result={result} onRetry={again}>
        {({ activity }) => (
          <>
            <dl className="figures">
              {activity.figures.map(({ kind, count, parts }) => (
                <div className="figure pulse-figure" key={kind}>
                  <dt>{NAMES[kind]}</dt>
                  <dd>{figureOf(kind, count, activity)}</dd>
                  <dd>
                    <Pulse parts={parts} seconds={activity.seconds} />
                  </dd>
                  <dd className="figure-note">{noteOf(kind, count, activity)}</dd>
                </div>
              ))}
            </dl>
            <Latest happenings={activity.latest} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function figureOf(kind: ActivityKind, count: number, { paid }: Activity): string {
  return kind === 'PAYOUT' && paid.length > 0 ? paid.map(money).join(' + ') : count.toLocaleString();
}

function rateOf(count: number, seconds: number): string {
  if (count === 0) {
    return 'none in the last minute';
  }
  return seconds / count >= 1.5
    ? `one every ${duration(seconds / count)}`
    : `${(count / seconds).toLocaleString(undefined, { maximumFractionDigits: 1 })} a second`;
}

function noteOf(kind: ActivityKind, count: number, { goldRight, seconds }: Activity): string {
  switch (kind) {
    case 'CLAIM':
    case 'SUBMIT':
      return rateOf(count, seconds);
    case 'GOLD_RESULT':
      return count === 0 ? 'none in the last minute' : `${percent((goldRight ?? 0) / count)} of them right`;
    case 'PAYOUT':
      return count === 1 ? '1 amount' : `${count.toLocaleString()} amounts`;
    case 'EXPIRY':
      return 'unanswered: their tasks can be taken again';
    default:
      return kind satisfies never;
  }
}
