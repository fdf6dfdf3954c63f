import type { AlertEvent } from '../../live/alert-events.js';
import * as resolvers from '../../resolvers/events.js';
import { builder } from '../builder.js';
import { AlertKindEnum, AlertSeverityEnum } from './alerts.js';
import { liveField, liveType } from './live-field.js';

const AlertEventKindEnum = builder.enumType('AlertEventKind', {
  description: 'What can be heard of an alert.',
  values: {
    CURRENT: { description: 'Not a change: the alerts that last have been told, changes follow.' },
    RAISED: { description: 'It was raised; at the start, that it lasts.' },
    ACKNOWLEDGED: { description: 'Somebody has acknowledged it.' },
    RESOLVED: { description: 'Its cause ended.' },
  } as const,
});

const AlertEventRef = liveType<AlertEvent>('AlertEvent', {
  description: 'What became of an alert. Of a CURRENT item everything but the kind and cursor is null.',
  fields: (t) => ({
    kind: t.field({
      type: AlertEventKindEnum,
      description: 'What happened.',
      resolve: ({ value }) => value.kind,
    }),
    alertId: t.id({
      nullable: true,
      description: 'Which alert.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Alert', value.alertId),
    }),
    alertKind: t.field({
      type: AlertKindEnum,
      nullable: true,
      description: 'What it is about.',
      resolve: ({ value }) => value.alertKind,
    }),
    severity: t.field({
      type: AlertSeverityEnum,
      nullable: true,
      description: 'How much it presses.',
      resolve: ({ value }) => value.severity,
    }),
    reason: t.string({
      nullable: true,
      description: 'What happened, in words.',
      resolve: ({ value }) => value.reason,
    }),
    projectId: t.id({
      nullable: true,
      description: 'The project that it is about.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Project', value.projectId),
    }),
    batchId: t.id({
      nullable: true,
      description: 'The batch that it is about.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Batch', value.batchId),
    }),
    skillId: t.id({
      nullable: true,
      description: 'The skill that it is about.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Skill', value.skillId),
    }),
    expertId: t.id({
      nullable: true,
      description: 'The expert whom it is about; customers are told of none.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Expert', value.expertId),
    }),
    at: t.field({ type: 'DateTime', nullable: true, description: 'When.', resolve: ({ value }) => value.at }),
  }),
});

liveField('alertEvents', {
  type: AlertEventRef,
  description:
    'Alerts: those that last, then CURRENT, then what becomes of them; a customer’s own, to dispatchers those of dispatch, to other staff all. With cursors like `leaseEvents`.',
  roles: ['CUSTOMER', 'ANALYST', 'DISPATCHER', 'OPERATOR'],
  args: builder.args(() => ({})),
  open: (live, viewer, { after }) => live.alertEvents(viewer, { after }),
});
