import * as resolvers from '../../resolvers/activity.js';
import type { Activity, ActivityFigure, Happening } from '../../services/routing/activity.js';
import { builder } from '../builder.js';
import { MoneyRef } from '../platform/money.js';
import { ExpertRef, ProjectRef } from '../refs.js';

const ActivityKindEnum = builder.enumType('ActivityKind', {
  description: 'What can go on.',
  values: {
    CLAIM: { description: 'An expert took a task.' },
    SUBMIT: { description: 'An answer came in.' },
    GOLD_RESULT: { description: 'An answer to gold was looked at.' },
    PAYOUT: { description: 'An amount was booked for an expert.' },
    EXPIRY: { description: 'A lease ended unanswered.' },
  } as const,
});

const ActivityFigureRef = builder.objectRef<ActivityFigure>('ActivityFigure').implement({
  description: 'How often something happened.',
  fields: (t) => ({
    kind: t.field({ type: ActivityKindEnum, description: 'What.', resolve: ({ kind }) => kind }),
    count: t.exposeInt('count', { description: 'How often in all of the time.' }),
    parts: t.intList({
      description: 'The same in each twelfth of the time, the oldest first.',
      resolve: ({ parts }) => [...parts],
    }),
  }),
});

const HappeningRef = builder.objectRef<Happening>('Happening').implement({
  description: 'One thing that happened.',
  fields: (t) => ({
    kind: t.field({ type: ActivityKindEnum, description: 'What.', resolve: ({ kind }) => kind }),
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => at }),
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'In which project.',
      resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
    }),
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Whose.',
      resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
    }),
    amount: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'Of a payout: how much.',
      resolve: ({ minor, currency }) => (minor === null || currency === null ? null : { minor, currency }),
    }),
    isRight: t.exposeBoolean('isRight', {
      nullable: true,
      description: 'Of a result of gold: whether the answer was right.',
    }),
  }),
});

const ActivityRef = builder.objectRef<Activity>('Activity').implement({
  description:
    'What has gone on of late: of the 200 newest running projects the last 1,000 events of each, and the last 3,000 payouts and results.',
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      description: 'Up to when it was looked, by the clock of the database.',
      resolve: ({ now }) => now,
    }),
    seconds: t.exposeInt('seconds', { description: 'How far back.' }),
    figures: t.field({
      type: [ActivityFigureRef],
      description: 'How often each thing happened. Nothing of gold to whoever may act as an expert.',
      resolve: ({ figures }) => figures,
    }),
    goldRight: t.exposeInt('goldRight', {
      nullable: true,
      description: 'Of the results of gold, how many were right; null for whoever may act as an expert.',
    }),
    paid: t.field({
      type: [MoneyRef],
      description: 'What was booked for experts, a currency each.',
      resolve: ({ paid }) => paid,
    }),
    latest: t.field({
      type: [HappeningRef],
      description: 'What happened last, at most 30, the newest first.',
      resolve: ({ latest }) => latest,
    }),
  }),
});

builder.queryField('activity', (t) =>
  t.field({
    type: ActivityRef,
    description: 'What has gone on in the tenant in the last seconds.',
    authScopes: { role: ['OPERATOR'] },
    args: {
      lastSeconds: t.arg.int({
        required: false,
        description: 'How far to look back: 10 to 600 seconds (default: 60).',
      }),
    },
    complexity: { field: 50, multiplier: 5 },
    resolve: (_root, { lastSeconds }, ctx) => resolvers.activity(lastSeconds ?? 60, ctx),
  }),
);
