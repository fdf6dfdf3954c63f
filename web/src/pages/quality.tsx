import { useQuery } from 'urql';
import { useKnown } from '../api/use-known.js';
import { useLive } from '../api/use-live.js';
import { useRefresh } from '../api/use-refresh.js';
import {
  JudgedDocument,
  QualityDocument,
  type QualityQuery,
  type StandingPhase,
} from '../generated/graphql.js';
import { told } from '../parts/bidi.js';
import { chance, instant, percent, zone } from '../parts/format.js';
import { LiveTag } from '../parts/live-tag.js';
import { Loaded, Notice } from '../parts/states.js';

type Known = NonNullable<QualityQuery['expertQuality']>;
type Score = Known['scores'][number];

const PHASES: Record<StandingPhase, { text: string; tone: string }> = {
  CLEAR: { text: 'working', tone: 'good' },
  WARNED: { text: 'warned', tone: 'warn' },
  PAUSED: { text: 'paused', tone: 'bad' },
  RETEST: { text: 'being tested again', tone: 'warn' },
};

/** Why a standing is what it is, to whom it is about. */
const WHY: Readonly<Record<string, string>> = {
  ACCURACY_BELOW_BAR: 'Too few of your latest answers were right.',
  ACCURACY_RECOVERED: 'Enough of your latest answers are right again.',
  RETEST_BEGUN: 'How you do is looked at afresh, and what was before does not count.',
  RETEST_PASSED: 'You passed the test.',
  RETEST_FAILED: 'You did not pass the test; there will be another.',
  HUMAN: 'An operator decided it.',
  FRAUD: 'An operator decided it.',
};

const whyOf = (reason: string): string => WHY[reason] ?? told(reason);

/** How good an expert's answers were found to be, by skill, and how well they know it themselves. */
export function Quality() {
  const [result, again] = useQuery({ query: QualityDocument });
  const ask = () => again({ requestPolicy: 'network-only' });
  const { refresh, asLive } = useRefresh(result, ask);
  const known = useKnown(result, 'own');
  const { liveness } = useLive('judged', {
    document: JudgedDocument,
    variables: {},
    itemOf: ({ qualityEvents }) => qualityEvents,
    onItem: refresh,
  });
  return (
    <div className="page">
      <h1>
        Quality <LiveTag liveness={asLive(liveness)} />
      </h1>
      <p className="hint">
        Measured on answers whose truth is known; shown with some delay. Times are in your zone ({zone()}).
      </p>
      <Loaded what="Your quality" result={{ ...result, data: known }} onRetry={ask}>
        {({ expertQuality, viewer }) => (
          <>
            <Skills
              scores={expertQuality?.scores ?? []}
              skills={viewer.expert?.skills ?? []}
              known={expertQuality}
            />
            <Calibration known={expertQuality} />
            <Notices notices={expertQuality?.notices ?? []} />
          </>
        )}
      </Loaded>
    </div>
  );
}

type Skill = NonNullable<QualityQuery['viewer']['expert']>['skills'][number];

function Skills({
  scores,
  skills,
  known,
}: {
  scores: readonly Score[];
  skills: readonly Skill[];
  known: QualityQuery['expertQuality'];
}) {
  if (skills.length === 0) {
    return (
      <Notice title="You have no skill yet">
        <p>An operator gives you skills; each is then measured while you work.</p>
      </Notice>
    );
  }
  return skills.map(({ skill, status }) => {
    const own = scores.filter((score) => score.skill?.id === skill?.id);
    const standing = known?.standings.find((candidate) => candidate.skill?.id === skill?.id);
    return (
      <section className="card skill" key={skill?.id}>
        <h2>
          {told(skill?.name ?? '')} <Phase phase={standing?.phase} status={status} />
        </h2>
        {standing?.reason ? <p>{whyOf(standing.reason)}</p> : null}
        {known?.belowBars.some((below) => below.skill?.id === skill?.id) ? (
          <p>
            Everything there is to do here asks for more than you are taken for now. You need do nothing but
            come back: you are tried again within some days.
          </p>
        ) : null}
        {own.length === 0 ? (
          <p className="hint">Not measured yet: that takes some answers.</p>
        ) : (
          <ul className="scores">
            {own.map((score) => (
              <ScoreBar key={`${score.taskType?.id ?? 'all'}`} score={score} />
            ))}
          </ul>
        )}
      </section>
    );
  });
}

function Phase({ phase, status }: { phase: StandingPhase | undefined; status: Skill['status'] }) {
  const shown =
    status === 'PAUSED'
      ? PHASES.PAUSED
      : status === 'PROBATION' && phase !== 'WARNED' && phase !== 'RETEST'
        ? { text: 'on probation', tone: 'warn' }
        : PHASES[phase ?? 'CLEAR'];
  return <span className={`tag tag-${shown.tone}`}>{shown.text}</span>;
}

/** A range and its best guess: what is not known yet is wide. */
function ScoreBar({ score: { mean, lower, upper, results, taskType } }: { score: Score }) {
  const name = taskType?.name ?? 'The skill as a whole';
  return (
    <li>
      <span>{told(name)}</span>
      <svg
        className="score-bar"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${chance(mean)}, between ${chance(lower)} and ${chance(upper)}`}
      >
        <rect className="score-ground" width="100" height="8" rx="2" />
        <rect
          className="score-range"
          x={lower * 100}
          width={Math.max(0.5, (upper - lower) * 100)}
          height="8"
          rx="2"
        />
        <rect className="score-mean" x={Math.min(99, mean * 100)} width="1" height="8" />
      </svg>
      <span className="hint">
        {chance(mean)} (between {chance(lower)} and {chance(upper)}), from {results} graded answers
      </span>
    </li>
  );
}

function Calibration({ known }: { known: QualityQuery['expertQuality'] }) {
  const calibration = known?.calibration;
  return (
    <section className="card skill">
      <h2>How well you know what you know</h2>
      {calibration ? (
        <p>
          You said you were {percent(calibration.stated)} sure on average, and were right in{' '}
          {percent(calibration.actual)} of {calibration.pairs} answers: {verdict(calibration)}{' '}
          {calibration.isUsed
            ? 'What you state weighs your answers.'
            : 'What you state does not weigh your answers yet.'}
        </p>
      ) : (
        <p className="hint">Say how sure you are when you answer, and this shows how often you were right.</p>
      )}
    </section>
  );
}

const verdict = ({ stated, actual }: NonNullable<Known['calibration']>) =>
  Math.abs(stated - actual) < 0.05
    ? 'that fits well.'
    : stated > actual
      ? 'you were surer than right.'
      : 'you were better than you thought.';

function Notices({ notices }: { notices: Known['notices'] }) {
  return notices.length === 0 ? null : (
    <section className="card skill">
      <h2>What happened</h2>
      <ul>
        {notices.map(({ at, phase, reason, skill }) => (
          <li key={`${at} ${skill?.id}`}>
            {instant(at)}: {told(skill?.name ?? '')}, {PHASES[phase].text}. {whyOf(reason)}
          </li>
        ))}
      </ul>
    </section>
  );
}
