import type { TraceEvent } from '../../live/trace-events.js';
import * as resolvers from '../../resolvers/dispatch.js';
import { pageOf } from '../../resolvers/paging.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { JobStateError } from '../../services/dispatch/errors.js';
import type { Trace, TraceExport } from '../../services/dispatch/fixes/traces.js';
import { RoleEnum } from '../access/viewer.js';
import { builder } from '../builder.js';
import { liveField, liveType } from '../events/live-field.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { ExpertRef, IdentityRef, JobRef } from '../refs.js';

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
    reason: t.string({
      required: true,
      description: 'What it is needed for, 10 to 500 characters. The worker reads it.',
    }),
  }),
});

builder.mutationField('exportTrace', (t) =>
  t.field({
    type: ExportTracePayload,
    nullable: true,
    description:
      'The way of whoever accepted a job, while they were about it; to dispatchers once it is over for them, before that to operators only. It is written down that you were given it, and why, and the worker is told (`traceExports`).',
    authScopes: { role: ['DISPATCHER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError, JobStateError] },
    args: { input: t.arg({ type: ExportTraceInput, required: true, description: 'Of which job, and why.' }) },
    resolve: (_root, { input }, ctx) => resolvers.exportTrace(input, ctx),
  }),
);

const TraceExportRef = builder.objectRef<TraceExport>('TraceExport').implement({
  description: 'That somebody was given the trace of a worker: written in the transaction that gave it.',
  fields: (t) => ({
    id: t.id({
      description: 'The `exportId` of whoever was given it.',
      resolve: ({ id }, _args, { app }) => app.ids.encode('TraceExport', id),
    }),
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => at }),
    worker: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Whose way it is.',
      resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
    }),
    jobId: t.id({
      description: 'Of which job, whether it can be read any more or not.',
      resolve: ({ jobId }, _args, { app }) => app.ids.encode('Job', jobId),
    }),
    exportedBy: t.field({
      type: IdentityRef,
      nullable: true,
      description: 'Who was given it; who may not read identities sees null.',
      resolve: ({ exportedBy }, _args, { load }) => load.identity.load(exportedBy),
    }),
    exportedById: t.id({
      description: 'Who that is, to workers too: an operator knows the name.',
      resolve: ({ exportedBy }, _args, { app }) => app.ids.encode('Identity', exportedBy),
    }),
    role: t.field({ type: RoleEnum, description: 'Acting as what.', resolve: ({ role }) => role }),
    reason: t.exposeString('reason', { description: 'What it was needed for, in their words.' }),
    from: t.field({ type: 'DateTime', description: 'Of when, from.', resolve: ({ fromAt }) => fromAt }),
    until: t.field({ type: 'DateTime', description: 'Of when, until.', resolve: ({ toAt }) => toAt }),
    fixes: t.exposeInt('fixes', { description: 'How many places those were.' }),
  }),
});

const TraceExportConnection = connectionOf(TraceExportRef, 'exports of traces');

builder.queryField('traceExports', (t) =>
  t.field({
    type: TraceExportConnection,
    description:
      'Who was given traces, of which job and why, newest first: a worker’s own, to operators all of the tenant.',
    authScopes: { role: ['EXPERT', 'OPERATOR'] },
    args: { ...connectionArgs() },
    complexity: connectionCost,
    resolve: (_root, args, ctx) =>
      pageOf(args, { ctx, type: 'TraceExport' }, (page) => resolvers.traceExports(page, ctx)),
  }),
);

liveField('traceEvents', {
  type: liveType<TraceEvent>('TraceEvent', {
    description:
      'That somebody was given your trace. An item without an export says that all former ones have been told.',
    fields: (t) => ({
      export: t.field({
        type: TraceExportRef,
        nullable: true,
        description: 'Who was given it, of which job and why.',
        resolve: ({ value }) => value.given,
      }),
    }),
  }),
  description:
    'Whoever is given a worker’s own trace: the latest hundred first, then whoever is given it. Every item has a cursor.',
  roles: ['EXPERT'],
  args: builder.args(() => ({})),
  open: (live, viewer, { after }) => live.traceEvents(viewer, { after }),
});
