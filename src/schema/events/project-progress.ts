import type { ProjectProgress } from '../../live/project-progress.js';
import type { LiveItem } from '../../live/subscription.js';
import * as resolvers from '../../resolvers/events.js';
import { builder } from '../builder.js';
import { MoneyRef } from '../platform/money.js';
import { ProjectStateEnum } from '../projects/project-summary.js';
import { ProjectRef } from '../refs.js';
import { ProgressRef } from '../tasks/progress.js';
import { liveFields } from './live-item.js';

const ProjectProgressRef = builder.objectRef<LiveItem<ProjectProgress>>('ProjectProgress').implement({
  description: 'How far a project has come.',
  fields: (t) => ({
    ...liveFields(t),
    state: t.field({
      type: ProjectStateEnum,
      description: 'Whether it gives out work.',
      resolve: ({ value }) => value.state,
    }),
    progress: t.field({
      type: ProgressRef,
      description: 'Its tasks and answers, counted.',
      resolve: ({ value }) => value.progress,
    }),
    spent: t.field({
      type: MoneyRef,
      description: 'What its answers have cost.',
      resolve: ({ value }) => value.spent,
    }),
  }),
});

builder.subscriptionField('projectProgress', (t) =>
  t.field({
    type: ProjectProgressRef,
    description:
      'How far a project has come, then each change, at most a few a second; with cursors like `leaseEvents`.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    args: {
      projectId: t.arg.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
      after: t.arg.string({ required: false, description: 'Go on behind this cursor.' }),
    },
    subscribe: (_root, args, ctx) => resolvers.projectProgress(args, ctx),
    resolve: (item) => item,
  }),
);
