import { Link } from 'wouter';
import type { ActivityKind, GoingOnQuery } from '../generated/graphql.js';
import { told } from '../parts/bidi.js';
import { money } from '../parts/format.js';

type Happening = GoingOnQuery['activity']['latest'][number];

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

const TAGS: Record<ActivityKind, { readonly text: string; readonly tone: string }> = {
  CLAIM: { text: 'taken', tone: '' },
  SUBMIT: { text: 'answered', tone: 'tag-good' },
  GOLD_RESULT: { text: 'gold', tone: 'tag-gold' },
  PAYOUT: { text: 'booked', tone: '' },
  EXPIRY: { text: 'expired', tone: 'tag-warn' },
};

/** What happened last, the newest first. */
export function Latest({ happenings }: { happenings: readonly Happening[] }) {
  return (
    <section className="card">
      <h2>What happened last</h2>
      {happenings.length === 0 ? (
        <p>Nothing in the last minute. Experts who take a task are seen here at once.</p>
      ) : (
        <ol className="happenings">
          {happenings.map((one) => (
            <Row key={`${one.kind} ${one.at} ${one.expert?.id}`} happening={one} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Row({ happening: { kind, at, project, expert, amount, isRight } }: { happening: Happening }) {
  const { text, tone } = TAGS[kind];
  return (
    <li>
      <time dateTime={at}>{TIME.format(new Date(at))}</time>
      <span className={`tag ${tone}`}>{text}</span>
      <span>
        {told(expert?.handle ?? 'An expert')}
        {isRight === null || isRight === undefined ? '' : isRight ? ': right' : ': wrong'}
        {amount ? `: ${money(amount)}` : ''}
      </span>
      {project ? <Link href={`/projects/${project.id}`}>{told(project.name)}</Link> : null}
    </li>
  );
}
