import * as resolvers from '../../resolvers/tasks.js';
import { builder } from '../builder.js';
import { BatchRef, TaskRef } from '../refs.js';
import { AdjudicationWaitRef } from './adjudication.js';

export const TaskStateEnum = builder.enumType('TaskState', {
  description: 'Where a task stands.',
  values: {
    OPEN: { description: 'Wants more answers.' },
    DONE: { description: 'Has all the answers that it wants.' },
    CANCELLED: { description: 'Ended with its project.' },
    FLAGGED: { description: 'Enough experts said that it cannot be answered.' },
  } as const,
});

export const TaskKindEnum = builder.enumType('TaskKind', {
  description: 'What a task is for.',
  values: {
    WORK: { description: 'It was uploaded.' },
    ADJUDICATION: {
      description: 'A further answer by a stronger expert to a task that others have answered.',
    },
  } as const,
});

/** Not for experts: how many answers a task wants and has would tell gold from other work (rule 10). */
const owners = { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] } as const;

TaskRef.implement({
  description: 'One item to be answered. Experts see of it only what the first four fields say.',
  fields: (t) => ({
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: 'The customer’s own name for the item, where they gave one.',
    }),
    contentType: t.exposeString('contentType', { description: 'Media type of the payload.' }),
    payloadBytes: t.int({
      description: 'Size of the payload.',
      resolve: ({ payloadBytes }) => Number(payloadBytes),
    }),
    state: t.field({
      type: TaskStateEnum,
      nullable: true,
      description: 'Where it stands.',
      authScopes: owners,
      resolve: (task, _args, ctx) =>
        resolvers.stateOfTask(task, ctx) as Promise<typeof TaskStateEnum.$inferType | null>,
    }),
    wanted: t.int({
      nullable: true,
      description: 'Independent answers that it wants.',
      authScopes: owners,
      resolve: async (task, _args, ctx) => (await resolvers.fullTask(task, ctx))?.wanted,
    }),
    isCritical: t.boolean({
      nullable: true,
      description: 'Whether it gets three to five answers, whatever the project’s policy says.',
      authScopes: owners,
      resolve: async (task, _args, ctx) => (await resolvers.fullTask(task, ctx))?.critical,
    }),
    counted: t.int({
      nullable: true,
      description: 'Answers that it has.',
      authScopes: owners,
      resolve: async (task, _args, ctx) => (await resolvers.fullTask(task, ctx))?.counted,
    }),
    flags: t.int({
      nullable: true,
      description: 'How many experts said that it cannot be answered.',
      authScopes: owners,
      resolve: async ({ id }, _args, { load }) => (await load.taskFlags.load(id))?.count ?? 0,
    }),
    batch: t.field({
      type: BatchRef,
      nullable: true,
      description: 'The upload that it came with.',
      authScopes: owners,
      resolve: async (task, _args, ctx) => {
        const full = await resolvers.fullTask(task, ctx);
        return full === null || full.batchId === null ? null : ctx.load.batch.load(full.batchId);
      },
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it became claimable.',
      authScopes: owners,
      resolve: async (task, _args, ctx) => (await resolvers.fullTask(task, ctx))?.createdAt,
    }),
  }),
});

// What it is for, and what it has to do with a stronger expert.
builder.objectFields(TaskRef, (t) => ({
  kind: t.field({
    type: TaskKindEnum,
    nullable: true,
    description: 'What it is for.',
    authScopes: owners,
    resolve: (task, _args, ctx) => resolvers.kindOfTask(task, ctx),
  }),
  adjudication: t.field({
    type: TaskRef,
    nullable: true,
    description: 'The task by which a stronger expert judges it; null where it went to none.',
    authScopes: owners,
    resolve: ({ id }, _args, ctx) => resolvers.adjudicationOf(id, ctx),
  }),
  adjudicates: t.field({
    type: TaskRef,
    nullable: true,
    description: 'The task that it is an adjudication of; null where it is none.',
    authScopes: owners,
    resolve: ({ id }, _args, ctx) => resolvers.adjudicatedBy(id, ctx),
  }),
  adjudicationWait: t.field({
    type: AdjudicationWaitRef,
    nullable: true,
    description:
      'Why it waits, where it is an open adjudication and its project has some that no expert may take; else null.',
    authScopes: owners,
    resolve: (task, _args, ctx) => resolvers.waitOfTask(task, ctx),
  }),
  waitsForBudget: t.boolean({
    description:
      'Whether it is done with fewer answers than it would want because its project’s budget does not reach. It goes on when there is budget again.',
    authScopes: owners,
    nullable: true,
    resolve: (task, _args, ctx) => resolvers.waitsForBudget(task, ctx),
  }),
}));
