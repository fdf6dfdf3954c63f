import { type Database, withSystem } from '../../platform/database.js';
import { type Helper, openHelper } from '../../platform/helper.js';
import type { Queryable } from '../../platform/rows.js';
import type { Dimension } from '../../tasks/task-types.js';
import { expertRecords, goldAnswers } from './gold-answers.sql.js';
import * as sql from './methods.sql.js';
import { isChosenFor, type Seen, type versionsOf } from './versions.js';

/** A project is looked at again after so long. */
const EVERY_SECONDS = 600;
/** Answers, and gradings of gold, that a choice rests on: the latest ones. */
const ANSWERS_MAX = 20_000;
/** A version is made when so much of what it rests on is new, or anything after a day. */
const NEWS_SHARE = 0.1;
const AGE_SECONDS = 86_400;

/** Six models of 40,000 answers take a second or two of a core: requests do not wait for it. */
const FIT_THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './fit-thread.ts' : './fit-thread.js',
  import.meta.url,
);
const FIT_LIMITS = { memoryMb: 512, timeoutMs: 120_000 } as const;

type Fits = Helper<Seen, ReturnType<typeof versionsOf>>;

export interface MethodsLooked {
  /** Projects that were looked at. */
  readonly looked: number;
  /** Projects that have a new version. */
  readonly chosen: number;
  readonly failures: readonly unknown[];
}

/** What follows from a new version, in its transaction. */
export type AfterChoice = (tx: Queryable, place: sql.ProjectPlace) => Promise<void>;

/**
 * Chooses, for running projects whose turn it is, the method by which each dimension is judged (chooseMethod), and keeps it as a new
 * version where a tenth of its evidence is new, gold that it rests on counts no longer, or a day has gone by with anything
 * new. Projects take turns over all nodes; each has a transaction of its own, so one that fails costs no other its turn.
 * @param limit projects that are looked at
 */
export async function chooseMethods(
  db: Database,
  { limit, after }: { limit: number; after: AfterChoice },
): Promise<MethodsLooked> {
  const turns = await withSystem(db, async (tx) => {
    await sql.enterProjects(tx, limit);
    return sql.takeTurns(tx, { limit, everySeconds: EVERY_SECONDS });
  });
  const failures: unknown[] = [];
  let chosen = 0;
  const fits: Fits = openHelper(FIT_THREAD, FIT_LIMITS);
  try {
    for (const place of turns) {
      try {
        chosen += Number(await withSystem(db, (tx) => chooseFor(tx, place, { after, fits })));
      } catch (error) {
        failures.push(error);
      }
    }
  } finally {
    await fits.close();
  }
  return { looked: turns.length, chosen, failures };
}

type Project = NonNullable<Awaited<ReturnType<typeof sql.projectOf>>>;

interface Choosing {
  readonly after: AfterChoice;
  readonly fits: Fits;
}

async function chooseFor(
  tx: Queryable,
  place: sql.ProjectPlace,
  { after, fits }: Choosing,
): Promise<boolean> {
  const project = await sql.projectOf(tx, place, AGE_SECONDS);
  const dimensions =
    project === null ? [] : (JSON.parse(project.dimensions) as Dimension[]).filter(isChosenFor);
  if (project === null || dimensions.length === 0 || !(await hasNews(tx, place, project))) {
    return false;
  }
  const work = await sql.workAnswers(tx, place, ANSWERS_MAX);
  const gold = await goldAnswers(tx, place, ANSWERS_MAX);
  const { customerId } = project;
  const before = project.lastGrading ?? 0n;
  const records = await expertRecords(tx, place, [...new Set(gold.map(({ expertId }) => expertId))]);
  const waiting = await sql.drawsWaiting(tx, place);
  for (const version of await fits.run({ customerId, dimensions, before, work, gold, records })) {
    await sql.saveVersion(tx, place, { ...version, waiting });
  }
  await after(tx, place);
  return true;
}

async function hasNews(tx: Queryable, place: sql.ProjectPlace, project: Project): Promise<boolean> {
  const { lastGrading, fittedAt, answers, goldAnswers, isChosen, isOld, isUnknown } = project;
  if (lastGrading === null || isUnknown === true) {
    return true;
  }
  const since = { lastGrading, fittedAt: isChosen === true ? fittedAt : null, limit: ANSWERS_MAX };
  const news = await sql.newsOf(tx, place, since);
  const isMuch = (count: number, of: number | null) =>
    count > 0 && (isOld || count >= NEWS_SHARE * (of ?? 0));
  return (
    isMuch(news.gradings, goldAnswers) ||
    (isChosen === true && isMuch(news.answers, answers)) ||
    news.goldTold < (goldAnswers ?? 0)
  );
}
