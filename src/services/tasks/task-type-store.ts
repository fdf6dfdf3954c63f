import { InputInvalidError } from '../access/errors.js';
import { checkAll } from '../access/faults.js';
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
  const { name } = checkAll({
    name: () => checkedName('/name', input.name),
    instructions: () => checkInstructions(input.instructions),
  });
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

function checkInstructions(instructions: string): void {
  if (instructions.length > INSTRUCTIONS_MAX || instructions.includes('\u0000')) {
    const message = `Give at most ${INSTRUCTIONS_MAX} characters, none of them NUL.`;
    throw new InputInvalidError([{ path: '/instructions', message }]);
  }
}
