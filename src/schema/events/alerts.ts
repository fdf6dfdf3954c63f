import * as resolvers from '../../resolvers/alerts.js';
import { idOf } from '../../resolvers/events.js';
import { pageOf } from '../../resolvers/paging.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import type { Alert } from '../../services/events/alerts/alerts.js';
import { AlertAcknowledgedError } from '../../services/events/alerts/errors.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { plainRefusal } from '../platform/domain-error.js';
import { IdentityRef, ProjectRef } from '../refs.js';

plainRefusal(AlertAcknowledgedError, 'Somebody else has acknowledged the alert; what they said stands.');

export const AlertKindEnum = builder.enumType('AlertKind', {
  description: 'What an alert can be about.',
  values: {
    DEADLINE_AT_RISK: {
      description: 'A batch will probably miss its deadline; ends when it is likely to make it.',
    },
    SKILL_STARVED: {
      description:
        'Work waits and no expert qualifies for any of it; ends with the work, or with one who does.',
    },
    SKILL_SHORT: {
      description: 'Eight hours of work or more wait for each expert who is there; ends below six.',
    },
    EXPERT_PAUSED: {
      description: 'An expert is paused, by results or by somebody; ends when they work again.',
    },
    GOLD_LEAKED: {
      description:
        'Gold of a project seems to be known; ends when it is acknowledged or its findings are decided about.',
    },
    GOLD_SUSPENDED: {
      description:
        'Gold of a project seems to have a wrong key; ends when it is acknowledged or its findings are decided about.',
    },
    EXPERT_FINDING: {
      description: 'The watch found something about experts; ends when it is decided about.',
    },
    ADJUDICATIONS_WAITING: {
      description: 'Disputed tasks have waited for a stronger expert for half an hour; ends when none does.',
    },
    BATCH_FAILED: { description: 'An upload could not be stored; ends when it is acknowledged.' },
    LEASES_LAPSED: {
      description:
        'A hundred leases or more ended unanswered within a minute; ends five minutes after the last such minute.',
    },
    BUDGET_EXHAUSTED: {
      description:
        'Tasks of a project stopped short of the answers that they would want, for want of budget; ends when none is left.',
    },
    RETEST_STALLED: {
      description:
        'Somebody is tested anew, and nothing of theirs was graded for a week; ends with a grading or the test.',
    },
    WEBHOOK_FAILING: {
      description:
        'The webhook has failed for a quarter of an hour; ends with the first delivery that succeeds.',
    },
    JOB_UNASSIGNED: {
      description: 'Nobody can be sent to a job; ends when somebody is, or it is cancelled.',
    },
    JOB_NO_SHOW: {
      description:
        'Whoever accepted a job has not come; ends when they check in, or it is reassigned or cancelled.',
    },
    JOBS_DUE_SOON: {
      description: 'Jobs that nobody has are due soon (`alertDueSoonSeconds`); ends when none is.',
    },
    WINDOWS_MISSED: {
      description:
        'Nobody came in time in a window of late (`alertMissedSeconds`); ends so long after the last one.',
    },
    OFFERS_EXPIRING: {
      description:
        'Many offers of a quarter of an hour ended unanswered (`alertExpiredShare`); ends below `alertCalmShare`.',
    },
    ROUTES_GUESSED: {
      description:
        'Many offers of ten minutes rest on estimates (`alertGuessedShare`), and a road router was there within a week; ends below `alertCalmShare`.',
    },
    WORKERS_SILENT: {
      description:
        'Many workers on shift have said nothing for a while (`alertSilentShare`); ends below `alertCalmShare`.',
    },
  } as const,
});

export const AlertSeverityEnum = builder.enumType('AlertSeverity', {
  description: 'How much an alert presses.',
  values: {
    INFO: { description: 'Good to know.' },
    WARNING: { description: 'To be looked at in time.' },
    CRITICAL: { description: 'Work stands still, or will.' },
  } as const,
});

const AlertStateEnum = builder.enumType('AlertState', {
  description: 'Where an alert stands.',
  values: {
    OPEN: { description: 'The cause is there, and nobody has acknowledged it.' },
    ACKNOWLEDGED: { description: 'The cause is there, and somebody has taken it upon themselves.' },
    RESOLVED: { description: 'The cause is there no more.' },
  } as const,
});

const AlertRef = builder.objectRef<Alert>('Alert').implement({
  description: 'Something that somebody should look at: one for each cause, as long as it lasts.',
  fields: (t) => ({
    id: t.id({
      description: 'For `acknowledgeAlert`.',
      resolve: ({ id }, _args, { app }) => app.ids.encode('Alert', id),
    }),
    kind: t.field({ type: AlertKindEnum, description: 'What it is about.', resolve: ({ kind }) => kind }),
    severity: t.field({
      type: AlertSeverityEnum,
      description: 'How much it presses.',
      resolve: ({ severity }) => severity,
    }),
    state: t.field({ type: AlertStateEnum, description: 'Where it stands.', resolve: resolvers.stateOf }),
    reason: t.exposeString('reason', { description: 'What happened, in words.' }),
    projectId: t.id({
      nullable: true,
      description: 'The project that it is about.',
      resolve: ({ projectId }, _args, ctx) => idOf(ctx, 'Project', projectId),
    }),
    batchId: t.id({
      nullable: true,
      description: 'The batch that it is about.',
      resolve: ({ batchId }, _args, ctx) => idOf(ctx, 'Batch', batchId),
    }),
    skillId: t.id({
      nullable: true,
      description: 'The skill that it is about.',
      resolve: ({ skillId }, _args, ctx) => idOf(ctx, 'Skill', skillId),
    }),
    expertId: t.id({
      nullable: true,
      description: 'The expert whom it is about; customers are told of none.',
      resolve: ({ expertId }, _args, ctx) => idOf(ctx, 'Expert', expertId),
    }),
    openedAt: t.field({ type: 'DateTime', description: 'When it was raised.', resolve: (a) => a.openedAt }),
    lastSeenAt: t.field({
      type: 'DateTime',
      description: 'When its cause was last seen to be there, to a minute.',
      resolve: (a) => a.lastSeenAt,
    }),
    acknowledgedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When somebody acknowledged it.',
      resolve: (a) => a.acknowledgedAt,
    }),
    acknowledgedBy: t.field({
      type: IdentityRef,
      nullable: true,
      description: 'Who did: shown to operators.',
      resolve: ({ acknowledgedBy }, _args, { load }) =>
        acknowledgedBy === null ? null : load.identity.load(acknowledgedBy),
    }),
    note: t.string({
      nullable: true,
      description: 'What they said: shown to staff.',
      resolve: ({ note }, _args, { viewer }) => (viewer.role === 'CUSTOMER' ? null : note),
    }),
    resolvedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its cause ended.',
      resolve: (a) => a.resolvedAt,
    }),
  }),
});

const AlertConnection = connectionOf(AlertRef, 'alerts');

builder.queryField('alerts', (t) =>
  t.field({
    type: AlertConnection,
    description:
      'Alerts, newest first: to customers those of their projects, to dispatchers those of dispatch, to other staff all. Of gold nothing to whoever may act as an expert.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'DISPATCHER', 'OPERATOR'] },
    args: {
      ...connectionArgs(),
      states: t.arg({ type: [AlertStateEnum], required: false, description: 'Only in these states.' }),
      kinds: t.arg({ type: [AlertKindEnum], required: false, description: 'Only of these kinds.' }),
      projectId: t.arg.globalID({ required: false, for: ProjectRef, description: 'Only of this project.' }),
    },
    complexity: connectionCost,
    resolve: (_root, { states, kinds, projectId, ...args }, ctx) => {
      const filter = { states: states ?? null, kinds: kinds ?? null, projectId: projectId?.id ?? null };
      return pageOf(args, { ctx, type: 'Alert' }, (page) => resolvers.alertsOf(filter, page, ctx));
    },
  }),
);

export const AcknowledgeAlertInput = builder.inputType('AcknowledgeAlertInput', {
  description: 'What `acknowledgeAlert` needs.',
  fields: (t) => ({
    alertId: t.id({ required: true, description: 'Which alert.' }),
    note: t.string({ required: false, description: 'What is done about it; 1 to 500 characters, kept.' }),
  }),
});

const AcknowledgeAlertPayload = builder.objectRef<{ alertId: bigint }>('AcknowledgeAlertPayload').implement({
  description: 'What `acknowledgeAlert` did.',
  fields: (t) => ({
    alert: t.field({
      type: AlertRef,
      nullable: true,
      description: 'The alert.',
      resolve: ({ alertId }, _args, ctx) => resolvers.alert(alertId, ctx),
    }),
  }),
});

builder.mutationField('acknowledgeAlert', (t) =>
  t.field({
    type: AcknowledgeAlertPayload,
    nullable: true,
    description:
      'Takes an alert upon oneself: a dispatcher, one of dispatch. The first one stands: again by the same person changes nothing, by somebody else it is refused.',
    authScopes: { role: ['DISPATCHER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError, AlertAcknowledgedError] },
    args: {
      input: t.arg({ type: AcknowledgeAlertInput, required: true, description: 'Which, and a note.' }),
    },
    resolve: (_root, { input }, ctx) => resolvers.acknowledgeAlert(input, ctx),
  }),
);
