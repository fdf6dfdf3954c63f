import type { ProjectForecast } from '../../live/forecast.js';
import { builder } from '../builder.js';
import { ForecastRef } from '../forecast/forecast.js';
import { liveField, liveType, projectArgs } from './live-field.js';

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

const ProjectForecastRef = liveType<ProjectForecast>('ProjectForecast', {
  description: 'When a project will be done.',
  fields: (t) => ({
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

liveField('forecast', {
  type: ProjectForecastRef,
  description: 'The forecast of a project, then each change; with cursors like `leaseEvents`.',
  roles: ['CUSTOMER', 'ANALYST', 'OPERATOR'],
  args: projectArgs,
  open: (live, viewer, { projectId, after }) => live.forecast(viewer, { projectId: projectId.id, after }),
});
