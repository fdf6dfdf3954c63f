import type { LeaseEvent } from '../../live/lease-events.js';
import * as resolvers from '../../resolvers/events.js';
import { builder } from '../builder.js';
import { ProjectRef } from '../refs.js';
import { liveField, liveType } from './live-field.js';

const LeaseEventKindEnum = builder.enumType('LeaseEventKind', {
  description: 'What can be heard of a lease.',
  values: {
    CURRENT: { description: 'Not a change: the present state has been told, changes follow.' },
    LEASED: { description: 'A task was claimed; at the start, that it is held.' },
    SUBMITTED: { description: 'Its answer came in.' },
    EXPIRING: { description: 'The lease ends soon: a quarter of it is left, at most two minutes.' },
    EXPIRED: { description: 'The lease ended; the slot is free again.' },
    RELEASED: { description: 'The task was given back.' },
    FLAGGED: { description: 'The expert said that the task cannot be answered.' },
    CANCELLED: { description: 'The lease ended with its project.' },
  } as const,
});

const LeaseEventRef = liveType<LeaseEvent>('LeaseEvent', {
  description: 'What happened to a lease. Of a CURRENT item everything but the kind and cursor is null.',
  fields: (t) => ({
    kind: t.field({
      type: LeaseEventKindEnum,
      description: 'What happened.',
      resolve: ({ value }) => value.kind,
    }),
    assignmentId: t.id({
      nullable: true,
      description: 'Whose lease it is.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Assignment', value.assignmentId),
    }),
    taskId: t.id({
      nullable: true,
      description: 'The task.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Task', value.taskId),
    }),
    expertId: t.id({
      nullable: true,
      description: 'Who holds it: told to operators only.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Expert', value.expertId),
    }),
    at: t.field({ type: 'DateTime', nullable: true, description: 'When.', resolve: ({ value }) => value.at }),
    leaseUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the lease ends, or ended.',
      resolve: ({ value }) => value.leaseUntil,
    }),
  }),
});

liveField('leaseEvents', {
  type: LeaseEventRef,
  description:
    'The leases of a project, or an expert’s own: the present ones, then CURRENT, then what happens. Every item has a cursor; with `after` nothing is missed and nothing told twice, or `reset` says to start afresh.',
  roles: ['EXPERT', 'CUSTOMER', 'OPERATOR'],
  args: builder.args((t) => ({
    projectId: t.globalID({
      required: false,
      for: ProjectRef,
      description: 'Which project; an expert need not say, a customer or operator must.',
    }),
    kinds: t.field({
      type: [LeaseEventKindEnum],
      required: false,
      description: 'Only these (default: all).',
    }),
  })),
  open: (live, viewer, { projectId, kinds, after }) =>
    live.leaseEvents(viewer, { projectId: projectId?.id ?? null, kinds: kinds ?? null, after }),
});
