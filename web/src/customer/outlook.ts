import type { OutlookFragment } from '../generated/graphql.js';
import { duration } from '../parts/format.js';

/** How a chance to be in time reads: as a colour's name, and in words, for colours alone tell nothing. */
export interface Verdict {
  readonly tone: 'good' | 'warn' | 'bad' | 'none';
  readonly word: string;
}

/** What the server calls at risk where nobody has said otherwise (docs/forecast.md). */
const AT_RISK = 0.8;
const HARDLY = 0.3;

/** What a chance amounts to; where the deadline has passed it is none. */
export function verdictOf(probabilityOnTime: number | null | undefined, isPast: boolean): Verdict {
  if (probabilityOnTime === null || probabilityOnTime === undefined) {
    return { tone: 'none', word: 'not known yet' };
  }
  if (probabilityOnTime >= AT_RISK) {
    return { tone: 'good', word: 'on time' };
  }
  if (isPast && probabilityOnTime === 0) {
    return { tone: 'bad', word: 'late' };
  }
  return probabilityOnTime >= HARDLY
    ? { tone: 'warn', word: 'on time: at risk' }
    : { tone: 'bad', word: 'on time: likely late' };
}

/** What there is to be in time for. */
export interface Due {
  readonly isDue: boolean;
  /** A deadline has passed with work open: there is no chance any more, but a fact. */
  readonly isPast: boolean;
}

/** Of a project and its open batches, whose deadlines are their own or the project's. */
export function dueOf(
  ofProject: string | null | undefined,
  openBatches: readonly { readonly deadline?: string | null }[] | undefined,
  nowMs: number,
): Due {
  const deadlines = [ofProject, ...(openBatches ?? []).map(({ deadline }) => deadline)].filter(
    (deadline) => typeof deadline === 'string',
  );
  return {
    isDue: deadlines.length > 0,
    isPast: deadlines.some((deadline) => Date.parse(deadline) <= nowMs),
  };
}

type Told = Pick<OutlookFragment, 'confidence' | 'finishedBatches' | 'answersPerHour' | 'limits'>;

/** What a forecast rests on, in a sentence. */
export function restsOn({ confidence, finishedBatches, limits }: Told): string {
  if (limits.length > 0) {
    return confidence === 'LOW'
      ? 'By the hours that experts work. Few experts can do it or few batches have finished: take it with care.'
      : 'By the hours that experts work, and by how finished batches went.';
  }
  return finishedBatches >= 5
    ? `Learned from ${finishedBatches} finished batches of the same kind${confidence === 'LOW' ? ', whoever can do it now: take it with care' : ''}.`
    : 'By the speed of the last hour alone: fewer than five batches have finished, so the range is wide.';
}

/** What would make the deadline, each as a sentence; none where nothing is needed or known. */
export function fixesOf(fixes: OutlookFragment['fixes'], nowMs: number): string[] {
  if (!fixes) {
    return [];
  }
  const hours = fixes.expertHours.map(
    ({ hours: more, skill }) => `${hoursText(more)} more of experts in ${skill?.name ?? 'a skill'}`,
  );
  const tasks = fixes.dropTasks == null ? [] : [`${fixes.dropTasks.toLocaleString()} tasks fewer`];
  const later = fixes.safeDeadline == null ? [] : [`a deadline of ${when(fixes.safeDeadline, nowMs)}`];
  return [...hours, ...tasks, ...later];
}

const hoursText = (hours: number): string =>
  hours < 1 ? duration(hours * 3600) : `${hours.toLocaleString()} h`;

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** "in 12 min", or "3 d ago": no finer than it matters. */
export function fromNow(iso: string, nowMs: number): string {
  const seconds = (Date.parse(iso) - nowMs) / 1000;
  const text = roughly(Math.abs(seconds));
  return seconds >= 0 ? `in ${text}` : `${text} ago`;
}

function roughly(seconds: number): string {
  if (seconds >= 2 * DAY) {
    return `${Math.round(seconds / DAY)} d`;
  }
  if (seconds >= 2 * HOUR) {
    return `${Math.round(seconds / HOUR)} h`;
  }
  return seconds > 1.5 * HOUR ? `${Math.round(seconds / MINUTE)} min` : duration(Math.max(MINUTE, seconds));
}

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };

/** An instant in the viewer's zone, without what goes without saying: today, this year. */
export function when(iso: string, nowMs: number): string {
  const [at, now] = [new Date(iso), new Date(nowMs)];
  if (at.toDateString() === now.toDateString()) {
    return at.toLocaleTimeString(undefined, TIME);
  }
  const year = at.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return at.toLocaleString(undefined, { ...year, day: 'numeric', month: 'short', ...TIME });
}
