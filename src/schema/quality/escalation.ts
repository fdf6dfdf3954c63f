import * as resolvers from '../../resolvers/quality.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { BudgetExceededError } from '../../services/payouts/budget-errors.js';
import { NotEscalatableError } from '../../services/quality/errors.js';
import { builder } from '../builder.js';
import { plainRefusal } from '../platform/domain-error.js';
import { TaskRef } from '../refs.js';

plainRefusal(
  NotEscalatableError,
  'The task is not done yet, is adjudicated already, or its project was cancelled.',
);

export const EscalateTaskInput = builder.inputType('EscalateTaskInput', {
  description: 'What `escalateTask` needs.',
  fields: (t) => ({
    taskId: t.globalID({ required: true, for: TaskRef, description: 'Which task.' }),
    reason: t.string({ required: true, description: 'Why; 1 to 500 characters, kept.' }),
  }),
});

const EscalateTaskPayload = builder.objectRef<{ taskId: bigint }>('EscalateTaskPayload').implement({
  description: 'What `escalateTask` did.',
  fields: (t) => ({
    task: t.field({
      type: TaskRef,
      nullable: true,
      description: 'The task that was escalated.',
      resolve: ({ taskId }, _args, { load }) => load.task.load(taskId),
    }),
  }),
});

builder.mutationField('escalateTask', (t) =>
  t.field({
    type: EscalateTaskPayload,
    nullable: true,
    description:
      'Sends a task that is done to a stronger expert who has not seen it, and does not see what was answered. The answer counts as one more, by its expert’s record.',
    authScopes: { role: ['CUSTOMER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError, NotEscalatableError, BudgetExceededError] },
    args: { input: t.arg({ type: EscalateTaskInput, required: true, description: 'Which, and why.' }) },
    resolve: (_root, { input }, ctx) => resolvers.escalateTask(input, ctx),
  }),
);
