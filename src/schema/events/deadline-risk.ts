import type { DeadlineRisk } from '../../live/deadline-risk.js';
import type { LiveItem } from '../../live/subscription.js';
import * as resolvers from '../../resolvers/events.js';
import { builder } from '../builder.js';
import { ProjectRef } from '../refs.js';
import { liveFields } from './live-item.js';

const DeadlineRiskRef = builder.objectRef<LiveItem<DeadlineRisk>>('DeadlineRisk').implement({
  description:
    'Whether a batch will make its deadline. Of a project without any forecast, one item without a batch.',
  fields: (t) => ({
    ...liveFields(t),
    batchId: t.id({
      nullable: true,
      description: 'Which batch.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Batch', value.batchId),
    }),
    atRisk: t.boolean({
      description: 'Whether its deadline is at risk.',
      resolve: ({ value }) => value.atRisk,
    }),
    probabilityOnTime: t.float({
      nullable: true,
      description: 'How likely it is done by its deadline, 0 to 1.',
      resolve: ({ value }) => value.probabilityOnTime,
    }),
    expectedDoneAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it will be done at the present rate.',
      resolve: ({ value }) => value.expectedDoneAt,
    }),
    deadline: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it should be done.',
      resolve: ({ value }) => value.deadline,
    }),
    computedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When this was computed.',
      resolve: ({ value }) => value.computedAt,
    }),
  }),
});

builder.subscriptionField('deadlineRisk', (t) =>
  t.field({
    type: DeadlineRiskRef,
    description:
      'The risk of each batch of a project as it is, then each change; with cursors like `leaseEvents`.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    args: {
      projectId: t.arg.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
      after: t.arg.string({ required: false, description: 'Go on behind this cursor.' }),
    },
    subscribe: (_root, args, ctx) => resolvers.deadlineRisk(args, ctx),
    resolve: (item) => item,
  }),
);
