import * as resolvers from '../../resolvers/dispatch.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import type { Trace } from '../../services/dispatch/fixes/traces.js';
import { builder } from '../builder.js';
import { ExpertRef, JobRef } from '../refs.js';

const TraceFixRef = builder.objectRef<Trace['fixes'][number]>('TraceFix').implement({
  description: 'Where a worker was at an instant, by their device (WGS 84).',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ deviceAt }) => deviceAt }),
    latitude: t.float({ description: 'In degrees.', resolve: ({ lat }) => lat }),
    longitude: t.float({ description: 'In degrees.', resolve: ({ lng }) => lng }),
    accuracyMetres: t.float({
      nullable: true,
      description: 'How far off it may be, as the device said.',
      resolve: ({ accuracyMetres }) => accuracyMetres,
    }),
  }),
});

const ExportTracePayload = builder.objectRef<Trace>('ExportTracePayload').implement({
  description: 'What `exportTrace` gave, and under which number that was written down.',
  fields: (t) => ({
    exportId: t.id({
      description: 'Of the record that says who was given it, and why.',
      resolve: ({ exportId }, _args, { app }) => app.ids.encode('TraceExport', exportId),
    }),
    worker: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Whose way it is.',
      resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
    }),
    from: t.field({ type: 'DateTime', description: 'Of when, from.', resolve: ({ fromAt }) => fromAt }),
    until: t.field({ type: 'DateTime', description: 'Of when, until.', resolve: ({ toAt }) => toAt }),
    fixes: t.field({
      type: [TraceFixRef],
      description: 'One in thirty seconds, in their order; what is older than seven days is gone.',
      resolve: ({ fixes }) => fixes,
    }),
  }),
});

export const ExportTraceInput = builder.inputType('ExportTraceInput', {
  description: 'What `exportTrace` needs.',
  fields: (t) => ({
    jobId: t.globalID({ required: true, for: JobRef, description: 'Of which job.' }),
    reason: t.string({ required: true, description: 'What it is needed for, 10 to 500 characters.' }),
  }),
});

builder.mutationField('exportTrace', (t) =>
  t.field({
    type: ExportTracePayload,
    nullable: true,
    description:
      'The way of whoever accepted a job, while they were about it. It is written down that you were given it, and why.',
    authScopes: { role: ['DISPATCHER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: ExportTraceInput, required: true, description: 'Of which job, and why.' }) },
    resolve: (_root, { input }, ctx) => resolvers.exportTrace(input, ctx),
  }),
);
