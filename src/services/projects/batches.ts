import { InputInvalidError, type InputIssue, NotFoundError } from '../access/errors.js';
import { checkAll } from '../access/faults.js';
import { checkedName } from '../access/people.js';
import type { Viewer } from '../access/viewer.js';
import { BudgetExceededError } from '../payouts/budget-errors.js';
import { paysFor } from '../payouts/budgets.sql.js';
import { canonicalJson, sha256Hex } from '../platform/canonical.js';
import { type Database, withService } from '../platform/database.js';
import * as sql from './batches.sql.js';
import { IdempotencyConflictError, ProjectNotRunningError } from './errors.js';
import { askOf, type InlineAsk } from './inline-answers.js';
import type { PayloadStore, StoredObject } from './payload-store.js';
import { isKey } from './projects.js';

/** What intake works with. */
export interface IntakeParts {
  readonly db: Database;
  readonly store: PayloadStore;
}

/** What every new batch says about itself. */
export interface NewBatch {
  readonly projectId: bigint;
  readonly name: string;
  /** Null: the project's deadline. */
  readonly deadline: Date | null;
  /** The same key with the same content gives the same batch again. */
  readonly idempotencyKey: string;
}

/** One task sent inside a request; see `taskOfJsonLine` for what the fields mean. */
export interface InlineTask {
  readonly payload: unknown;
  readonly externalId?: string | null | undefined;
  readonly contentType?: string | null | undefined;
  readonly redundancy?: number | null | undefined;
  readonly critical?: boolean | null | undefined;
  readonly allow?: readonly string[] | null | undefined;
  readonly block?: readonly string[] | null | undefined;
}

export interface InlineBatch extends NewBatch {
  readonly tasks: readonly InlineTask[];
}

export interface UploadedBatch extends NewBatch {
  readonly format: 'JSONL' | 'CSV';
  /** The bytes as they arrive; at most MAX_UPLOAD_BYTES. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** More tasks, or more bytes of them, are uploaded as a stream. */
export const MAX_INLINE_TASKS = 1000;
export const MAX_INLINE_BYTES = 1024 * 1024;

/**
 * Takes a batch of at most 1,000 tasks and 1 MiB. Answers once the tasks are durable, in state STORING: they become
 * claimable one after another as their payloads are stored. A task that turns out to be faulty is reported as a row of
 * the batch (its line is its position from 1) and does not sink the others.
 * @throws InputInvalidError, NotFoundError, ProjectNotRunningError, IdempotencyConflictError, BudgetExceededError
 */
export async function createBatch(
  parts: IntakeParts,
  viewer: Viewer,
  { tasks, ...batch }: InlineBatch,
): Promise<{ batchId: bigint }> {
  const inline = linesOf(tasks);
  const raw = Buffer.from(inline.lines.join(''));
  const checked = checkBatch(batch, inlineIssues(tasks.length, raw.byteLength));
  await checkProject(parts.db, viewer, {
    ...checked,
    ask: (project) => askOf(inline.lines, project),
  });
  const stored = await parts.store.put(viewer.tenantId, raw);
  const content = { inline: inline.canonical };
  return await insertOnce(parts.db, viewer, { ...checked, ...rawOf(stored), format: 'JSONL', content });
}

/**
 * Takes a batch as a stream of JSONL or CSV, never whole in memory. Answers once the upload is durable, in state
 * STORING; the rows are read afterwards. Nothing of the body is read before the project is known to be the viewer's.
 * A batch that the budget does not pay for ends as FAILED.
 * @throws InputInvalidError, NotFoundError, ProjectNotRunningError, UploadTooLargeError, IdempotencyConflictError, BudgetExceededError
 */
export async function createBatchFromUpload(
  parts: IntakeParts,
  viewer: Viewer,
  { body, format, ...batch }: UploadedBatch,
): Promise<{ batchId: bigint }> {
  const checked = checkBatch(batch, []);
  await checkProject(parts.db, viewer, { ...checked, ask: () => ({ answers: 1, issues: [] }) });
  const stored = await parts.store.put(viewer.tenantId, body);
  const content = { format, upload: stored.key };
  return await insertOnce(parts.db, viewer, { ...checked, ...rawOf(stored), format, content });
}

type Insertion = Omit<sql.NewBatchRow, 'tenantId' | 'contentDigest'> & { readonly content: object };

/** The raw content is durable by now, so a batch row always has something behind it. */
async function insertOnce(db: Database, viewer: Viewer, insertion: Insertion): Promise<{ batchId: bigint }> {
  const { tenantId, identityId: actorId } = viewer;
  const { content, ...batch } = insertion;
  const contentDigest = sha256Hex(
    canonicalJson({ ...content, name: batch.name, deadline: batch.deadline?.toISOString() ?? null }),
  );
  return await withService(db, { tenantId, actorId }, async (tx) => {
    const made = await sql.insertBatch(tx, { ...batch, tenantId, contentDigest });
    if (made !== null) {
      return { batchId: made.id };
    }
    const first = await sql.findByKey(tx, { ...batch, tenantId });
    if (first === null) {
      throw new ProjectNotRunningError();
    }
    if (first.contentDigest !== contentDigest) {
      throw new IdempotencyConflictError();
    }
    return { batchId: first.id };
  });
}

/** A cancel that comes between this look and the insert is seen by the insert; one after it, by the storing job. */
async function checkProject(
  db: Database,
  viewer: Viewer,
  { ask, ...batch }: NewBatch & { ask: (project: sql.BatchProject) => InlineAsk },
): Promise<void> {
  const { tenantId, identityId: actorId } = viewer;
  const { project, pays, issues } = await withService(db, { tenantId, actorId }, async (tx) => {
    const found = await sql.findProject(tx, { ...batch, tenantId });
    const asked = found === null ? { answers: 0, issues: [] } : ask(found);
    const wanted = { tenantId, projectId: batch.projectId, answers: asked.answers };
    return { project: found, pays: found === null || (await paysFor(tx, wanted)), issues: asked.issues };
  });
  const isTheirs = viewer.role === 'OPERATOR' || project?.customerId === viewer.customerId;
  if (project === null || !isTheirs) {
    throw new NotFoundError('project');
  }
  // A repeated request is answered like the first, whatever became of the project since.
  if (!project.isRunning && !project.keyIsUsed) {
    throw new ProjectNotRunningError();
  }
  if (project.isLate && !project.keyIsUsed) {
    const message = 'This instant is past. Give a later one, or none for the project’s deadline.';
    throw new InputInvalidError([{ path: '/deadline', message }]);
  }
  if (!pays && !project.keyIsUsed) {
    // What is wrong with the tasks first: who gives them again with more budget should not learn of it then.
    throw issues.length > 0 ? new InputInvalidError(issues) : new BudgetExceededError();
  }
}

function checkBatch(batch: NewBatch, found: readonly InputIssue[]): NewBatch {
  const issues = [...found];
  if (!isKey(batch.idempotencyKey)) {
    issues.push({ path: '/idempotencyKey', message: 'Give 1 to 200 characters without control characters.' });
  }
  if (batch.deadline !== null && Number.isNaN(batch.deadline.getTime())) {
    issues.push({ path: '/deadline', message: 'Give an instant in UTC.' });
  }
  const { name } = checkAll({
    name: () => checkedName('/name', batch.name),
    rest: () => {
      if (issues.length > 0) {
        throw new InputInvalidError(issues);
      }
    },
  });
  return { ...batch, name };
}

/** The tasks as an upload would write them, and in a form that does not depend on the order of keys. */
function linesOf(tasks: readonly InlineTask[]): { lines: string[]; canonical: string[] } {
  try {
    const lines = tasks.map((task) => `${JSON.stringify({ ...task, payload: task.payload ?? null })}\n`);
    return { lines, canonical: lines.map((line) => canonicalJson(JSON.parse(line))) };
  } catch (error) {
    if (error instanceof RangeError) {
      throw new InputInvalidError([{ path: '/tasks', message: 'A task is nested too deeply.' }]);
    }
    throw error;
  }
}

function inlineIssues(count: number, bytes: number): InputIssue[] {
  if (count < 1 || count > MAX_INLINE_TASKS) {
    return [{ path: '/tasks', message: `Give 1 to ${MAX_INLINE_TASKS} tasks, or upload more as a stream.` }];
  }
  return bytes > MAX_INLINE_BYTES
    ? [{ path: '/tasks', message: `Give at most ${MAX_INLINE_BYTES} bytes, or upload more as a stream.` }]
    : [];
}

function rawOf({ key, bytes }: StoredObject): { rawKey: string; rawBytes: number } {
  return { rawKey: key, rawBytes: bytes };
}
