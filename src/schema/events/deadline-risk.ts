import type { DeadlineRisk } from '../../live/deadline-risk.js';
import { fixes } from '../../resolvers/capacity.js';
import * as resolvers from '../../resolvers/events.js';
import { ForecastFixesRef } from '../forecast/capacity.js';
import { liveField, liveType, projectArgs } from './live-field.js';

const DeadlineRiskRef = liveType<DeadlineRisk>('DeadlineRisk', {
  description:
    'Whether a batch will make its deadline. Of a project without any forecast, one item without a batch.',
  fields: (t) => ({
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
    fixes: t.field({
      type: ForecastFixesRef,
      nullable: true,
      description:
        'What would make the deadline nine times in ten; null where it is made as it is, or nothing can be said.',
      resolve: ({ value }, _args, ctx) => fixes(value.fixes, ctx),
    }),
  }),
});

liveField('deadlineRisk', {
  type: DeadlineRiskRef,
  description:
    'The risk of batches of a project as it is, then each change of any batch; with cursors like `leaseEvents`. Told as they are: those of which something is open and those at risk, the oldest thousand of each, and the latest hundred. A batch that is not named is not at risk, but of more than a thousand at risk.',
  roles: ['CUSTOMER', 'ANALYST', 'OPERATOR'],
  args: projectArgs,
  open: (live, viewer, { projectId, after }) => live.deadlineRisk(viewer, { projectId: projectId.id, after }),
});
