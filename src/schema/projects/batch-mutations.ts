import * as resolvers from '../../resolvers/project-mutations.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { BudgetExceededError } from '../../services/payouts/budget-errors.js';
import { IdempotencyConflictError, ProjectNotRunningError } from '../../services/projects/errors.js';
import { builder } from '../builder.js';
import { plainRefusal } from '../platform/domain-error.js';
import { BatchRef, ProjectRef } from '../refs.js';

plainRefusal(
  ProjectNotRunningError,
  'The project was cancelled: it takes no further work, and nothing of it can be changed.',
);

const NewTaskInput = builder.inputType('NewTaskInput', {
  description: 'One item to be answered.',
  fields: (t) => ({
    payload: t.field({
      type: 'JSON',
      required: true,
      description: 'What is shown to whoever answers: text as it is, anything else as JSON.',
    }),
    externalId: t.string({
      required: false,
      description: 'Your own name for the item, unique in the batch.',
    }),
    contentType: t.string({ required: false, description: 'Media type of the payload.' }),
    redundancy: t.int({
      required: false,
      description: 'Independent answers wanted (default: the project’s).',
    }),
    critical: t.boolean({
      required: false,
      description: 'Gets three to five answers, whatever the project’s policy says.',
    }),
    allowExpertIds: t.idList({
      required: false,
      description: 'Only these experts may answer it.',
    }),
    blockExpertIds: t.idList({
      required: false,
      description: 'These experts may not answer it.',
    }),
  }),
});

export const CreateBatchInput = builder.inputType('CreateBatchInput', {
  description:
    'What `createBatch` needs. More than 1,000 tasks or 1 MiB are uploaded by POST /v1/projects/{id}/batches.',
  fields: (t) => ({
    projectId: t.globalID({ required: true, for: ProjectRef, description: 'Into which project.' }),
    name: t.string({ required: true, description: '1 to 200 characters.' }),
    deadline: t.field({ type: 'DateTime', required: false, description: 'Default: the project’s.' }),
    idempotencyKey: t.id({
      required: true,
      description:
        'Of your making, 1 to 200 characters: the same key with the same content answers the first batch again.',
    }),
    tasks: t.field({ type: [NewTaskInput], required: true, description: 'The items, 1 to 1,000.' }),
  }),
});

const CreateBatchPayload = builder.objectRef<{ batchId: bigint }>('CreateBatchPayload').implement({
  description: 'What `createBatch` did.',
  fields: (t) => ({
    batch: t.field({
      type: BatchRef,
      nullable: true,
      description: 'The batch: STORING at first, then OPEN. Faulty rows are in its `errors`.',
      resolve: ({ batchId }, _args, { load }) => load.batch.load(batchId),
    }),
  }),
});

builder.mutationField('createBatch', (t) =>
  t.field({
    type: CreateBatchPayload,
    nullable: true,
    description:
      'Takes tasks into a project. Answers once they are durable; they become claimable as they are stored.',
    authScopes: { role: ['CUSTOMER', 'OPERATOR'] },
    errors: {
      types: [
        IdempotencyConflictError,
        InputInvalidError,
        NotFoundError,
        ProjectNotRunningError,
        BudgetExceededError,
      ],
    },
    args: { input: t.arg({ type: CreateBatchInput, required: true, description: 'The batch.' }) },
    resolve: (_root, { input }, ctx) => resolvers.createBatch(input, ctx),
  }),
);
