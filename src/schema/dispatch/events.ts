import type { JobEvent } from '../../live/job-events.js';
import type { OfferEvent } from '../../live/offer-events.js';
import * as resolvers from '../../resolvers/events.js';
import { builder } from '../builder.js';
import { liveField, liveType } from '../events/live-field.js';
import { JobStateEnum } from './job.js';
import { OfferStateEnum } from './offer.js';

const JobEventRef = liveType<JobEvent>('JobEvent', {
  description:
    'Where a job stands. An item whose job is null says that all present ones have been told: changes follow.',
  fields: (t) => ({
    jobId: t.id({
      nullable: true,
      description: 'Which job.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Job', value.jobId),
    }),
    state: t.field({
      type: JobStateEnum,
      nullable: true,
      description: 'Where it stands.',
      resolve: ({ value }) => value.state,
    }),
    at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when.',
      resolve: ({ value }) => value.at,
    }),
    dueBy: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'By when somebody is to be there.',
      resolve: ({ value }) => value.dueBy,
    }),
    noShow: t.boolean({
      nullable: true,
      description: 'To staff: whether who accepted it has not come.',
      resolve: ({ value }) => value.noShow,
    }),
    reason: t.string({
      nullable: true,
      description: 'To staff: why it is in its state.',
      resolve: ({ value }) => value.reason,
    }),
  }),
});

liveField('jobEvents', {
  type: JobEventRef,
  description:
    'Jobs: a customer’s own, of which it hears the state, or the tenant’s. Those that are not over first, then what becomes of them. Every item has a cursor.',
  roles: ['CUSTOMER', 'DISPATCHER', 'OPERATOR'],
  args: builder.args(() => ({})),
  open: (live, viewer, { after }) => live.jobEvents(viewer, { after }),
});

const OfferEventRef = liveType<OfferEvent>('OfferEvent', {
  description:
    'What became of an offer. An item whose offer is null says that all present ones have been told: changes follow.',
  fields: (t) => ({
    offerId: t.id({
      nullable: true,
      description: 'Which offer.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Offer', value.offerId),
    }),
    jobId: t.id({
      nullable: true,
      description: 'Of which job.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Job', value.jobId),
    }),
    state: t.field({
      type: OfferStateEnum,
      nullable: true,
      description: 'What became of it.',
      resolve: ({ value }) => value.state,
    }),
    at: t.field({ type: 'DateTime', nullable: true, description: 'When.', resolve: ({ value }) => value.at }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when it can be accepted.',
      resolve: ({ value }) => value.expiresAt,
    }),
  }),
});

liveField('offerEvents', {
  type: OfferEventRef,
  description:
    'A worker’s own offers: those that stand first, then what comes and what becomes of them. Every item has a cursor.',
  roles: ['EXPERT'],
  args: builder.args(() => ({})),
  open: (live, viewer, { after }) => live.offerEvents(viewer, { after }),
});
