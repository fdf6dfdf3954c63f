import { forecastIf } from '../../resolvers/capacity.js';
import { pageOf } from '../../resolvers/paging.js';
import * as resolvers from '../../resolvers/projects.js';
import { NO_PROGRESS } from '../../services/projects/progress.js';
import { builder } from '../builder.js';
import { ForecastWith, forecastCost } from '../forecast/capacity.js';
import { ForecastRef } from '../forecast/forecast.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { MoneyRef } from '../platform/money.js';
import { BatchRef, ProjectRef, TaskRef } from '../refs.js';
import { AnswerRef } from '../routing/answer.js';
import { AdjudicationWaitRef } from '../tasks/adjudication.js';
import { ProgressRef } from '../tasks/progress.js';
import { TaskKindEnum, TaskStateEnum } from '../tasks/task.js';

const BatchConnection = connectionOf(BatchRef, 'batches');
const TaskConnection = connectionOf(TaskRef, 'tasks');
const AnswerConnection = builder.connectionObject(
  { type: AnswerRef, name: 'AnswerConnection', description: 'A page of answers.' },
  { name: 'AnswerEdge', description: 'One of the answers of a page.' },
);

// What is in a project, and how far it has come.
builder.objectFields(ProjectRef, (t) => ({
  progress: t.field({
    type: ProgressRef,
    description: 'How far it has come.',
    complexity: 20,
    resolve: async ({ id }, _args, { load }) => (await load.projectProgress.load(id)) ?? NO_PROGRESS,
  }),
  adjudicationWait: t.field({
    type: AdjudicationWaitRef,
    nullable: true,
    description: 'Adjudications that no expert may take, as things are; null where there are none.',
    resolve: ({ id }, _args, { load }) => load.adjudicationWait.load(id),
  }),
  spend: t.field({
    type: MoneyRef,
    description: 'What its answers have cost so far.',
    complexity: 20,
    resolve: (project, _args, ctx) => resolvers.spendOf(project, ctx),
  }),
  forecast: t.field({
    type: ForecastRef,
    nullable: true,
    description: 'When its open batches will be done, all together; null while nothing is known.',
    args: { with: t.arg({ type: ForecastWith, required: false, description: 'As it would be, if.' }) },
    complexity: forecastCost,
    resolve: ({ id }, { with: change }, ctx) =>
      change == null ? ctx.load.projectForecast.load(id) : forecastIf(change, { of: { projectId: id }, ctx }),
  }),
  batches: t.field({
    type: BatchConnection,
    description: 'Its uploads, oldest first, or newest first.',
    args: {
      ...connectionArgs(),
      newestFirst: t.arg.boolean({
        required: false,
        description: 'From the last upload on (default: false).',
      }),
    },
    complexity: connectionCost,
    resolve: ({ id }, { newestFirst, ...args }, ctx) =>
      pageOf(args, { ctx, type: 'Batch' }, (p) =>
        resolvers.batchesOf({ ...p, projectId: id, newestFirst: newestFirst ?? false }, ctx),
      ),
  }),
  tasks: t.field({
    type: TaskConnection,
    description: 'Its tasks of one kind, oldest first.',
    args: {
      ...connectionArgs(),
      state: t.arg({ type: TaskStateEnum, required: false, description: 'Only tasks in this state.' }),
      kind: t.arg({
        type: TaskKindEnum,
        required: false,
        description: 'Which kind: by default the tasks that were uploaded.',
      }),
    },
    complexity: connectionCost,
    resolve: (project, { state, kind, ...args }, ctx) =>
      pageOf(args, { ctx, type: 'Task' }, (p) =>
        resolvers.tasksOf({ ...p, project, state: state ?? null, kind: kind ?? 'WORK' }, ctx),
      ),
  }),
  answers: t.field({
    type: AnswerConnection,
    description: 'Its answers, in the order in which their tasks were first claimed.',
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: ({ id }, args, ctx) => resolvers.answersOf(args, { ctx, projectId: id }),
  }),
}));
