import { InputInvalidError, type InputIssue, NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { type Tx, withService } from '../platform/database.js';
import { sqlState } from '../platform/sqlstate.js';
import { noteShown } from '../quality/adjudication/readers.js';
import { refuseExperts } from '../quality/gold/access.js';
import { addGolds, type KeyValue, type NewGold } from '../quality/gold/golds.js';
import * as sql from '../quality/gold/golds.sql.js';
import { regardGold } from '../quality/gold/looks.js';
import { hasTasks, holdLooks } from '../quality/gold/looks.sql.js';
import { AnswerInvalidError } from '../tasks/answer-errors.js';
import { type AnswerRules, validatorOf } from '../tasks/answer-validators.js';
import { validateAnswer } from '../tasks/answers.js';
import type { IntakeParts } from './batches.js';
import { ProjectNotRunningError } from './errors.js';
import { toldIssues } from './gold-told.js';
import { type Tolerances, toleranceIssues, withTolerance } from './gold-tolerances.js';
import { taskOfJsonLine } from './intake-jsonl.js';
import { type IntakeTask, RowFault } from './intake-row.js';
import type { StoredObject } from './payload-store.js';

/** One gold as it is sent: a task's payload, and the answer that is right. */
interface GivenGold {
  readonly payload?: unknown;
  readonly externalId?: string | null | undefined;
  readonly contentType?: string | null | undefined;
  /** Any JSON that the project's task type takes for an answer. */
  readonly answer?: unknown;
  /** How far off its numbers may be and still be right; of a dimension that is not here its own. */
  readonly tolerances?: Tolerances | null | undefined;
}

interface GivenGolds {
  readonly projectId: bigint;
  readonly golds: readonly GivenGold[];
}

const MAX_GOLDS = 1000;

/** Golds' tasks, in the order given, and whether the project has no tasks yet that they could be compared with. */
export interface AddedGolds {
  readonly taskIds: bigint[];
  readonly isBeforeTasks: boolean;
}

/**
 * Adds gold to a running project. Sent again, it answers the same golds; a payload that is gold with another answer is
 * refused until that one is suspended, and so is one that has ended with this answer. Who may act as an expert may not: they would know it.
 * @throws InputInvalidError, NotFoundError, ProjectNotRunningError, ForbiddenError
 */
export async function createGolds(
  { db, store }: IntakeParts,
  viewer: Viewer,
  { projectId, golds, source }: GivenGolds & { readonly source: 'HAND' | 'IMPORT' },
): Promise<AddedGolds> {
  const { tenantId, identityId: actorId } = viewer;
  if (golds.length < 1 || golds.length > MAX_GOLDS) {
    throw new InputInvalidError([{ path: '/golds', message: `Give 1 to ${MAX_GOLDS} golds.` }]);
  }
  const tasks = tasksOf(golds);
  const place = { tenantId, projectId, source, actorId };
  const rules = await withService(db, { tenantId, actorId }, async (tx) => {
    await refuseExperts(tx, viewer);
    return rulesOf(tx, place);
  });
  const answers = answersOf(rules, golds);
  const stored = await store.putMany(
    tenantId,
    tasks.map(({ payload }) => payload),
  );
  const rows = tasks.map((task, i) => rowOf(task, stored[i], answers[i]));
  const add = () => addRows(db, place, { rows, rules });
  try {
    return await add();
  } catch (error) {
    // Somebody was adding the same at the same time: it is there by now, and the same answers to both.
    if (sqlState(error) === UNIQUE_VIOLATION) {
      return await add();
    }
    throw error;
  }
}

const UNIQUE_VIOLATION = '23505';

function addRows(
  db: IntakeParts['db'],
  place: sql.GoldPlace & { readonly source: 'HAND' | 'IMPORT'; readonly actorId: bigint },
  { rows, rules }: { readonly rows: readonly NewGold[]; readonly rules: AnswerRules },
): Promise<AddedGolds> {
  const { tenantId, actorId } = place;
  return withService(db, { tenantId, actorId }, async (tx) => {
    await holdLooks(tx, place, 'GOLD');
    await rulesOf(tx, place);
    const known = await keysOf(tx, place, rows);
    const standing = new Set(
      known.flatMap(({ state, payloadKey }) => (state === 'ACTIVE' ? payloadKey : [])),
    );
    refuse(await toldIssues(tx, place, { rows, standing }));
    refuseKnown(known, rows);
    const { dimensions } = validatorOf(rules);
    await addGolds(tx, place, {
      golds: [...new Map(rows.map((row) => [row.payloadKey, row])).values()],
      dimensions,
    });
    await regardGold(tx, place, rows);
    const taskIds = await idsOf(tx, place, rows);
    await noteShown(tx, { tenantId, actorId }, { taskIds });
    return { taskIds, isBeforeTasks: !(await hasTasks(tx, place)) };
  });
}

async function rulesOf(tx: Tx, place: sql.GoldPlace): Promise<AnswerRules> {
  const type = await sql.typeOfProject(tx, place);
  if (type === null) {
    throw new NotFoundError('project');
  }
  if (!type.isRunning) {
    throw new ProjectNotRunningError();
  }
  return type;
}

function tasksOf(golds: readonly GivenGold[]): IntakeTask[] {
  const issues: InputIssue[] = [];
  const tasks = golds.flatMap(({ answer: _answer, tolerances: _tolerances, ...gold }, i) => {
    try {
      return [taskOfJsonLine(Buffer.from(JSON.stringify({ ...gold, payload: gold.payload ?? null })), i + 1)];
    } catch (error) {
      if (!(error instanceof RowFault)) {
        throw error;
      }
      issues.push({ path: `/golds/${i}`, message: `The gold ${error.message}.` });
      return [];
    }
  });
  refuse(issues);
  return tasks;
}

function answersOf(rules: AnswerRules, golds: readonly GivenGold[]): (readonly KeyValue[])[] {
  const issues: InputIssue[] = [];
  const { dimensions } = validatorOf(rules);
  const numbers = dimensions.filter(({ scale }) => scale === 'interval').map(({ name }) => name);
  const answers = golds.map(({ answer, tolerances }, i) => {
    try {
      const { values } = validateAnswer(rules, answer);
      if (values.length === 0) {
        issues.push({
          path: `/golds/${i}/answer`,
          message: 'Give an answer that answers can be compared with.',
        });
      }
      issues.push(...toleranceIssues(tolerances ?? [], { path: `/golds/${i}/tolerances`, numbers, values }));
      return values.map((value) => withTolerance(value, tolerances ?? []));
    } catch (error) {
      if (!(error instanceof AnswerInvalidError)) {
        throw error;
      }
      issues.push(
        ...error.issues.map(({ path, message }) => ({ path: `/golds/${i}/answer${path}`, message })),
      );
      return [];
    }
  });
  refuse(issues);
  return answers;
}

function rowOf(
  task: IntakeTask,
  stored: StoredObject | undefined,
  values: readonly KeyValue[] = [],
): NewGold {
  if (stored === undefined) {
    throw new Error('The storage answered for fewer payloads than it was given.');
  }
  const { contentType, externalId } = task;
  return { payloadKey: stored.key, payloadBytes: stored.bytes, contentType, externalId, values };
}

function isSameKey(key: KeyValue, given: KeyValue): boolean {
  return (
    key.dimension === given.dimension &&
    key.text === given.text &&
    key.number === given.number &&
    (given.tolerance ?? key.tolerance) === key.tolerance
  );
}

/** Refuses what is gold of the project already, unless it is the same that goes on, or one whose key was wrong and is another now. */
function refuseKnown(known: readonly sql.GoldKeyRow[], rows: readonly NewGold[]): void {
  refuse(
    rows.flatMap((row, i) => {
      const mine = known.filter(({ payloadKey }) => payloadKey === row.payloadKey);
      const standing = mine.filter(({ state }) => state !== 'SUSPENDED');
      const message =
        standing.length > 0
          ? faultBeside(standing, row)
          : [...new Set(mine.map(({ taskId }) => taskId))].some((id) =>
                isSameGold(
                  mine.filter(({ taskId }) => taskId === id),
                  row,
                ),
              )
            ? 'This payload was gold with this very answer and was suspended: it is taken for wrong.'
            : null;
      return message === null ? [] : [{ path: `/golds/${i}`, message }];
    }),
  );
}

function faultBeside(standing: readonly sql.GoldKeyRow[], row: NewGold): string | null {
  if (!isSameGold(standing, row)) {
    return 'This payload is gold of the project with another answer. If that one is wrong, suspend it (suspendGold) and give this again.';
  }
  return standing[0]?.state === 'ACTIVE'
    ? null
    : 'This payload was gold of the project with this answer and is shown to nobody more. Give another payload.';
}

const isSameGold = (keys: readonly sql.GoldKeyRow[], { values }: NewGold): boolean =>
  keys.length === values.length && values.every((value) => keys.some((key) => isSameKey(key, value)));

const keysOf = (tx: Tx, place: sql.GoldPlace, rows: readonly NewGold[]) =>
  sql.keysOfPayloads(
    tx,
    place,
    rows.map(({ payloadKey }) => payloadKey),
  );

/** The golds of these rows; refuses where one is given twice with different answers. */
async function idsOf(tx: Tx, place: sql.GoldPlace, rows: readonly NewGold[]): Promise<bigint[]> {
  const keys = (await keysOf(tx, place, rows)).filter(({ state }) => state !== 'SUSPENDED');
  const issues: InputIssue[] = [];
  const ids = rows.flatMap((row, i) => {
    const mine = keys.filter(({ payloadKey }) => payloadKey === row.payloadKey);
    if (!isSameGold(mine, row)) {
      issues.push({ path: `/golds/${i}`, message: 'This payload is given twice, with different answers.' });
    }
    return mine.slice(0, 1).map(({ taskId }) => taskId);
  });
  refuse(issues);
  return ids;
}

function refuse(issues: readonly InputIssue[]): void {
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
}
