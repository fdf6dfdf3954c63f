import type { InputIssue } from '../access/errors.js';
import { InputInvalidError } from '../access/errors.js';
import { checkedName } from '../access/people.js';
import type { Viewer } from '../access/viewer.js';
import { type Database, withService } from '../platform/database.js';
import * as sql from './task-type-store.sql.js';
import { compileTaskType } from './task-types.js';

/** Instructions are read beside every task; longer guidelines are linked from them. */
const INSTRUCTIONS_MAX = 20_000;

export interface NewTaskType {
  readonly name: string;
  /** What an answer looks like: see task-type-definitions.ts. */
  readonly definition: unknown;
  /** Shown beside each task. Markdown. */
  readonly instructions: string;
  /** Null: offered to every customer of the tenant (operators only). */
  readonly customerId: bigint | null;
}

/**
 * Adds the next version of a task type. Versions never change: projects keep the one they were made with.
 * @throws TaskTypeInvalidError, InputInvalidError
 */
export async function createTaskType(
  db: Database,
  viewer: Viewer,
  input: NewTaskType,
): Promise<{ taskTypeId: bigint; version: number }> {
  const { tenantId, identityId: actorId } = viewer;
  const name = checkedName('/name', input.name);
  const issues: InputIssue[] = [];
  if (input.instructions.length > INSTRUCTIONS_MAX || input.instructions.includes('\u0000')) {
    issues.push({
      path: '/instructions',
      message: `Give at most ${INSTRUCTIONS_MAX} characters, none of them NUL.`,
    });
  }
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
  const { kind, definition, answerSchema, dimensions } = compileTaskType(input.definition);
  const made = await withService(db, { tenantId, actorId }, (tx) =>
    sql.insertTaskType(tx, {
      tenantId,
      customerId: viewer.role === 'CUSTOMER' ? viewer.customerId : input.customerId,
      name,
      kind,
      definition: JSON.stringify(definition),
      answerSchema: JSON.stringify(answerSchema),
      dimensions: JSON.stringify(dimensions),
      instructions: input.instructions,
    }),
  );
  return { taskTypeId: made.id, version: made.version };
}
