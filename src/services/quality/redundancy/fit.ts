import { type Database, withSystem } from '../../platform/database.js';
import { type Helper, openHelper } from '../../platform/helper.js';
import type { Queryable } from '../../platform/rows.js';
import { type OnFailure, succeeds } from '../failures.js';
import { clearFailure } from '../failures.sql.js';
import { expertRecords, goldAnswers } from '../inference/gold-answers.sql.js';
import * as sql from './fit.sql.js';
import type { StoppingSeen } from './stopping-fits.js';

/** A model is fitted again after so long. */
const EVERY_SECONDS = 600;
const PROJECTS_A_ROUND = 20;
/** Answers on gold that a model rests on: the latest ones. */
const ANSWERS_MAX = 20_000;

/**
 * Fits, for projects that stop at a posterior and are due, what their gold says of stopping: the posterior to stop at so that
 * what is promised is kept, and what a posterior means. Before fifty gold with two answers nothing is moved.
 * @returns how many projects were fitted
 */
export async function fitStoppingModels(
  db: Database,
  onFailure: OnFailure = () => undefined,
): Promise<number> {
  const due = await withSystem(db, (tx) =>
    sql.fitsDue(tx, { seconds: EVERY_SECONDS, limit: PROJECTS_A_ROUND, projectId: null }),
  );
  if (due.length > 0) {
    await withFits((fits) => fitAll(db, due, { fits, onFailure }));
  }
  return due.length;
}

async function fitAll(
  db: Database,
  due: readonly Due[],
  { fits, onFailure }: { fits: Fits; onFailure: OnFailure },
): Promise<void> {
  for (const project of due) {
    const subject = {
      job: 'stopping',
      tenantId: project.tenantId,
      subjectId: project.projectId,
      skillId: 0n,
    } as const;
    const fit = () =>
      withSystem(db, async (tx) => {
        await fitProject(tx, project, fits);
        await clearFailure(tx, subject);
      });
    await succeeds(db, fit, { subject: () => subject, onFailure });
  }
}

/** Fits one project at once, where it stops at a posterior: its answers are weighed otherwise from the end of this transaction on. */
export async function fitStoppingModel(tx: Queryable, { projectId }: { projectId: bigint }): Promise<void> {
  const [project] = await sql.fitsDue(tx, { seconds: 0, limit: 1, projectId });
  await (project === undefined ? null : withFits((fits) => fitProject(tx, project, fits)));
}

type Due = Awaited<ReturnType<typeof sql.fitsDue>>[number];
type Fits = Helper<StoppingSeen, sql.FittedRow[]>;

/** Twenty thousand answers played at ten thresholds in ten folds take seconds of a core: requests do not wait for it. */
const FIT_THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './fit-thread.ts' : './fit-thread.js',
  import.meta.url,
);
const FIT_LIMITS = { memoryMb: 512, timeoutMs: 120_000 } as const;

async function withFits<T>(work: (fits: Fits) => Promise<T>): Promise<T> {
  const fits: Fits = openHelper(FIT_THREAD, FIT_LIMITS);
  try {
    return await work(fits);
  } finally {
    await fits.close();
  }
}

async function fitProject(tx: Queryable, project: Due, fits: Fits): Promise<void> {
  const answers = await goldAnswers(tx, project, ANSWERS_MAX);
  const experts = [...new Set(answers.map(({ expertId }) => expertId))];
  const models = await sql.modelsOf(tx, project, experts);
  const records = await expertRecords(tx, project, experts);
  for (const fit of await fits.run({ project, answers, records, models })) {
    await sql.saveFit(tx, project, fit);
  }
}
