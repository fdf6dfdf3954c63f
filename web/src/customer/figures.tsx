import type { AmountFragment, HowFarFragment, OutlookFragment } from '../generated/graphql.js';
import { chance, money, partOf } from '../parts/format.js';
import { bandsOf } from './burn-up-data.js';
import { type Due, fromNow, verdictOf, when } from './outlook.js';

interface FiguresProps {
  readonly progress: HowFarFragment;
  readonly forecast: OutlookFragment | null;
  readonly spent: AmountFragment;
  readonly price: AmountFragment;
  readonly now: number;
  readonly due: Due;
}

/** What one wants to know first. */
export function Figures({ progress, forecast, spent, price, now, due }: FiguresProps) {
  const { answersCounted, answersWanted, tasksDone, tasksTotal, tasksOpen } = progress;
  const isOpen = tasksOpen > 0;
  return (
    <dl className="figures">
      <Figure name="On time" {...onTimeOf(isOpen, due, forecast)} />
      <Figure name="Expected done" {...expectedOf(isOpen, forecast, now)} />
      <Figure
        name="Answers"
        value={answersWanted === 0 ? '–' : partOf(answersCounted, answersWanted)}
        note={`${answersCounted.toLocaleString()} of ${answersWanted.toLocaleString()}; ${tasksDone.toLocaleString()} of ${tasksTotal.toLocaleString()} tasks done`}
      />
      <Figure
        name="Speed"
        value={isOpen && forecast ? `${Math.round(forecast.answersPerHour).toLocaleString()} /h` : '–'}
        note={`answers in the last hour; ${progress.leased.toLocaleString()} in work now`}
      />
      <Figure name="Spent" value={money(spent)} note={`${money(price)} an answer`} />
    </dl>
  );
}

interface Told {
  readonly value: string;
  readonly note: string;
  readonly tone?: string;
}

function Figure({ name, value, note, tone = 'none' }: Told & { name: string }) {
  return (
    <div className={`figure figure-${tone}`}>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd className="figure-note">{note}</dd>
    </div>
  );
}

function onTimeOf(isOpen: boolean, { isDue, isPast }: Due, forecast: OutlookFragment | null): Told {
  if (!isOpen) {
    return { value: '–', note: 'nothing is open' };
  }
  const probability = forecast?.probabilityOnTime ?? null;
  if (probability === null) {
    return { value: '–', note: isDue ? 'not known yet' : 'there is no deadline' };
  }
  const { tone, word } = verdictOf(probability, isPast);
  return word === 'late'
    ? { value: 'late', note: 'the deadline of an open batch has passed', tone }
    : { value: chance(probability), note: `${word} (every open batch by its deadline)`, tone };
}

function expectedOf(isOpen: boolean, forecast: OutlookFragment | null, now: number): Told {
  if (!isOpen || !forecast?.expectedDoneAt) {
    return { value: '–', note: isOpen ? 'not known yet: answers have to come in first' : 'nothing is open' };
  }
  const quantiles = forecast.quantiles.map(({ probability, at }) => ({
    probability,
    at: at ? Date.parse(at) : null,
  }));
  const wide = bandsOf(quantiles).find(({ share }) => share > 0.5);
  const iso = (at: number) => when(new Date(at).toISOString(), now);
  const range = wide === undefined ? '' : `; nine in ten: ${iso(wide.from)} to ${iso(wide.to)}`;
  return {
    value: fromNow(forecast.expectedDoneAt, now),
    note: `${when(forecast.expectedDoneAt, now)}${range}`,
  };
}
