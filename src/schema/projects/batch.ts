import { forecastIf } from '../../resolvers/capacity.js';
import * as resolvers from '../../resolvers/projects.js';
import type { FaultyRow } from '../../services/projects/children.js';
import { NO_PROGRESS } from '../../services/projects/progress.js';
import { builder } from '../builder.js';
import { ForecastWith, forecastCost } from '../forecast/capacity.js';
import { ForecastRef } from '../forecast/forecast.js';
import { connectionArgs, connectionCost } from '../platform/connection.js';
import { BatchRef, ProjectRef } from '../refs.js';
import { ProgressRef } from '../tasks/progress.js';

const BatchStateEnum = builder.enumType('BatchState', {
  description: 'Where an upload stands.',
  values: {
    STORING: { description: 'Its rows are being stored; tasks become claimable one after another.' },
    OPEN: { description: 'Every row was dealt with; its tasks are being worked on.' },
    COMPLETED: { description: 'Every task of it has ended.' },
    FAILED: { description: 'The upload itself could not be read: see `failure`.' },
    CANCELLED: { description: 'Its project was cancelled.' },
  } as const,
});

const BatchErrorRef = builder.objectRef<FaultyRow>('BatchError').implement({
  description: 'A row of an upload that did not become a task.',
  fields: (t) => ({
    line: t.field({ type: 'BigInt', description: 'Which row, from 1.', resolve: ({ line }) => line }),
    reason: t.exposeString('reason', { description: 'Why.' }),
  }),
});

const BatchErrorConnection = builder.connectionObject(
  { type: BatchErrorRef, name: 'BatchErrorConnection', description: 'A page of faulty rows.' },
  { name: 'BatchErrorEdge', description: 'One of the faulty rows of a page.' },
);

BatchRef.implement({
  description: 'One upload of tasks into a project.',
  authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'The project that it belongs to.',
      resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
    }),
    state: t.field({
      type: BatchStateEnum,
      description: 'Where it stands.',
      resolve: (batch, _args, ctx) =>
        resolvers.stateOfBatch(batch, ctx) as Promise<typeof BatchStateEnum.$inferType>,
    }),
    failure: t.exposeString('failure', { nullable: true, description: 'Why the upload could not be read.' }),
    deadline: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it should be done: its own deadline, or the project’s.',
      resolve: async ({ deadline, projectId }, _args, { load }) =>
        deadline ?? (await load.project.load(projectId))?.deadline,
    }),
    rowsDone: t.field({
      type: 'BigInt',
      description: 'Rows that were dealt with.',
      resolve: (b) => b.rowsDone,
    }),
    taskCount: t.field({
      type: 'BigInt',
      description: 'Rows that became tasks.',
      resolve: (b) => b.taskCount,
    }),
    errorCount: t.field({
      type: 'BigInt',
      description: 'Rows that could not.',
      resolve: (b) => b.errorCount,
    }),
    errors: t.field({
      type: BatchErrorConnection,
      description: 'Those rows, in order; at most the first 10,000 are kept.',
      args: connectionArgs(),
      complexity: connectionCost,
      resolve: ({ id }, args, ctx) => resolvers.errorsOfBatch(args, { ctx, batchId: id }),
    }),
    progress: t.field({
      type: ProgressRef,
      description: 'How far it has come.',
      complexity: 20,
      resolve: async ({ id }, _args, { load }) => (await load.batchProgress.load(id)) ?? NO_PROGRESS,
    }),
    forecast: t.field({
      type: ForecastRef,
      nullable: true,
      description: 'When it will be done; null while nothing is known.',
      args: { with: t.arg({ type: ForecastWith, required: false, description: 'As it would be, if.' }) },
      complexity: forecastCost,
      resolve: ({ id }, { with: change }, ctx) =>
        change == null ? ctx.load.forecast.load(id) : forecastIf(change, { of: { batchId: id }, ctx }),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was received.',
      resolve: (b) => b.createdAt,
    }),
    storedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When every row was dealt with.',
      resolve: (b) => b.storedAt,
    }),
  }),
});
