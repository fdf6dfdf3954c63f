import type { ProjectForecast } from '../../live/forecast.js';
import type { LiveItem } from '../../live/subscription.js';
import * as resolvers from '../../resolvers/events.js';
import { builder } from '../builder.js';
import { ForecastRef } from '../forecast/forecast.js';
import { ProjectRef } from '../refs.js';
import { liveFields } from './live-item.js';

const BatchForecastRef = builder.objectRef<ProjectForecast['batches'][number]>('BatchForecast').implement({
  description: 'When a batch will be done.',
  fields: (t) => ({
    batchId: t.id({
      description: 'Which batch.',
      resolve: ({ batchId }, _args, { app }) => app.ids.encode('Batch', batchId),
    }),
    forecast: t.field({ type: ForecastRef, description: 'Its forecast.', resolve: (one) => one }),
    deadline: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it should be done.',
      resolve: (one) => one.deadline,
    }),
  }),
});

const ProjectForecastRef = builder.objectRef<LiveItem<ProjectForecast>>('ProjectForecast').implement({
  description: 'When a project will be done.',
  fields: (t) => ({
    ...liveFields(t),
    project: t.field({
      type: ForecastRef,
      nullable: true,
      description: 'Its open batches taken together; null where nothing is open.',
      resolve: ({ value }) => value.project,
    }),
    batches: t.field({
      type: [BatchForecastRef],
      description: 'Its open batches each, the oldest hundred.',
      resolve: ({ value }) => [...value.batches],
    }),
  }),
});

builder.subscriptionField('forecast', (t) =>
  t.field({
    type: ProjectForecastRef,
    description: 'The forecast of a project, then each change; with cursors like `leaseEvents`.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    args: {
      projectId: t.arg.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
      after: t.arg.string({ required: false, description: 'Go on behind this cursor.' }),
    },
    subscribe: (_root, args, ctx) => resolvers.forecast(args, ctx),
    resolve: (item) => item,
  }),
);
