/** Tasks of one kind in one state that want and have so many answers, and how many they are. */
export type Tally = readonly [kind: string, state: string, wanted: number, counted: number, tasks: number];

/** What is known of the work of a batch. */
export interface Measured {
  readonly tally: readonly Tally[];
  /** Whether what a task wants may grow, and to how much at most. */
  readonly adaptiveMost: number | null;
  /** Of its latest answers: how many, how long they took, and the standard deviation of that. */
  readonly timed: number;
  readonly meanSeconds: number | null;
  readonly deviation: number | null;
  /** What such an answer takes, where nothing was measured. */
  readonly usualSeconds: number;
  /** Whether that was measured in other batches of the project: it is of the skill, or of nobody, otherwise. */
  readonly isUsualMeasured: boolean;
  /** Claims of the latest that came to nothing. */
  readonly lost: number;
  /** The share of claims that are gold. */
  readonly goldShare: number;
}

/** What is left of a batch in experts' time. */
export interface Left {
  readonly seconds: number;
  /** Standard deviation of the logarithm of what it really takes. */
  readonly spread: number;
  readonly items: number;
  /** Answers that they are expected to come to. */
  readonly answers: number;
  /** How many one of them wants still, at most. */
  readonly answersEach: number;
  readonly handlingSeconds: number;
  /** The share of claims that are gold, in whose place a task waits. */
  readonly goldShare: number;
  /** Time of those who decide where answers disagree, and of how many tasks. */
  readonly adjudication: { readonly seconds: number; readonly items: number };
}

/** How far what is usual is off for a batch: standard deviation of the logarithm. */
const USUAL_SPREAD = { measured: 0.2, unknown: 0.45 } as const;
/** As if so many answers had shown that they vary as much as they take by the mean. */
const VARIED = 3;
/** As if so many finished tasks had wanted what is believed of open ones: a third of an answer beyond what they want now. */
const BELIEVED = { tasks: 5, more: 0.35 } as const;
/** As if so many claims had been made of which one in fifty came to nothing. Experts' hours are of claims that came to something, so what is usual is in them. */
const LOST = { claims: 50, lost: 1 } as const;
const LOST_USUAL = LOST.lost / LOST.claims;
/** Of what is left nobody knows the half: what is adjudicated, who is slow. */
const SPREAD_LEAST = 0.1;
const GOLD_MOST = 0.49;

/**
 * Experts' time that a batch still takes: answers that are expected of each open task (what it wants now, and what such tasks came to want
 * under a policy that adapts), adjudications, gold among them, and claims that come to nothing; times what an answer takes.
 */
export function leftOf(known: Measured): Left {
  const handlingSeconds = handlingOf(known);
  const lost = (known.lost + LOST.lost) / (known.timed + known.lost + LOST.claims);
  const each = (handlingSeconds * (1 - LOST_USUAL)) / (1 - lost) / (1 - Math.min(GOLD_MOST, known.goldShare));
  const answers = expectedAnswers(known);
  const decided = adjudicationsOf(known.tally);
  const open = openOf(known.tally, 'WORK');
  return {
    seconds: answers * each,
    spread: Math.hypot(SPREAD_LEAST, variationOf(known) / Math.sqrt(known.timed + usualOf(known))),
    items: count(open),
    answers,
    answersEach: open.reduce((most, [, , wanted, counted]) => Math.max(most, wanted - counted), 0),
    handlingSeconds,
    goldShare: Math.min(GOLD_MOST, known.goldShare),
    adjudication: { seconds: decided * each, items: Math.ceil(decided) },
  };
}

const count = (of: readonly Tally[]) => of.reduce((sum, one) => sum + one[4], 0);

const openOf = (tally: readonly Tally[], of: 'WORK' | 'ADJUDICATION') =>
  tally.filter(([kind, state]) => kind === of && state === 'OPEN');

const doneWork = (tally: readonly Tally[]) =>
  tally.filter(([kind, state]) => kind === 'WORK' && state === 'DONE');

/** What an answer takes: own answers and what is usual, each as much as it is sure (two normal observations of one mean). */
function handlingOf(known: Measured): number {
  const { timed, meanSeconds, usualSeconds } = known;
  const usual = usualOf(known);
  return Math.max(1, (timed * (meanSeconds ?? 0) + usual * usualSeconds) / (timed + usual));
}

/** As how many answers of the batch what is usual counts: as few as show it as well. */
const usualOf = (known: Measured): number =>
  (variationOf(known) / (known.isUsualMeasured ? USUAL_SPREAD.measured : USUAL_SPREAD.unknown)) ** 2;

/** By which part of their mean answers vary: two that took the same say little. */
function variationOf({ timed, meanSeconds, deviation }: Measured): number {
  const seen = Math.max(0, timed - 1);
  const own = deviation === null || !meanSeconds ? 1 : deviation / meanSeconds;
  return Math.sqrt((seen * own ** 2 + VARIED) / (seen + VARIED));
}

/** Answers that are expected to come of what is open now. */
function expectedAnswers({ tally, adaptiveMost }: Measured): number {
  const done = doneWork(tally);
  return openOf(tally, 'WORK').reduce((sum, [, , wanted, counted, tasks]) => {
    const atLast = adaptiveMost === null ? wanted : wantedAtLast(wanted, done, adaptiveMost);
    return sum + tasks * (atLast - counted);
  }, 0);
}

/** What a task comes to want that wants so much now: as those did that came to want as much. */
function wantedAtLast(wanted: number, done: readonly Tally[], most: number): number {
  const like = done.filter(([, , , counted]) => counted >= wanted);
  const tasks = like.reduce((sum, one) => sum + one[4], 0);
  const answers = like.reduce((sum, [, , , counted, of]) => sum + counted * of, 0);
  const believed = Math.max(wanted, Math.min(most, wanted + BELIEVED.more));
  return (answers + BELIEVED.tasks * believed) / (tasks + BELIEVED.tasks);
}

/** As if so many tasks more had been done without: the first to be adjudicated are rather those of which the most is heard. */
const NOT_ADJUDICATED = 20;

/** Adjudications that are open, and those that open tasks will come to, as finished ones did. */
function adjudicationsOf(tally: readonly Tally[]): number {
  const adjudicated = count(tally.filter(([kind]) => kind === 'ADJUDICATION'));
  const share = adjudicated / (Math.max(count(doneWork(tally)), adjudicated) + NOT_ADJUDICATED);
  const waiting = openOf(tally, 'ADJUDICATION').reduce(
    (sum, [, , wanted, counted, tasks]) => sum + tasks * (wanted - counted),
    0,
  );
  return waiting + count(openOf(tally, 'WORK')) * share;
}
