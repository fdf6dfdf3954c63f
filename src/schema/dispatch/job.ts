import type { JobMove } from '../../generated/prisma/client.js';
import { skillsByIds } from '../../resolvers/access.js';
import * as resolvers from '../../resolvers/dispatch.js';
import { pageOf } from '../../resolvers/paging.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { CustomerRef, IdentityRef, JobRef, OfferRef, SkillRef } from '../refs.js';
import { PlaceRef } from './place.js';

export const JobKindEnum = builder.enumType('JobKind', {
  description: 'When somebody is wanted.',
  values: {
    ON_DEMAND: { description: 'Now: who was just seen nearby is asked.' },
    SCHEDULED: { description: 'In a window that is to come: given out a day before, from home.' },
  } as const,
});

export const JobStateEnum = builder.enumType('JobState', {
  description: 'Where a job stands.',
  values: {
    OPEN: { description: 'Somebody is looked for, or will be.' },
    OFFERED: { description: 'Somebody has an offer of it.' },
    ACCEPTED: { description: 'Somebody will come.' },
    IN_PROGRESS: { description: 'They are there.' },
    DONE: { description: 'It was done.' },
    CANCELLED: { description: 'It was cancelled.' },
    UNASSIGNED_ALERT: { description: 'Nobody can come, as far as is known; it is tried again.' },
  } as const,
});
type JobState = (typeof JobStateEnum)['$inferType'];

const staff = ['DISPATCHER', 'OPERATOR', 'ANALYST'] as const;

const JobMoveRef = builder.objectRef<JobMove>('JobMove').implement({
  description: 'A change of a job’s state, as it was written down.',
  fields: (t) => ({
    from: t.field({
      type: JobStateEnum,
      nullable: true,
      description: 'The state before; null: it was created.',
      resolve: ({ fromState }) => fromState as JobState | null,
    }),
    to: t.field({
      type: JobStateEnum,
      description: 'The state since.',
      resolve: (m) => m.toState as JobState,
    }),
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => at }),
    reason: t.string({ nullable: true, description: 'Why, in words.', resolve: ({ reason }) => reason }),
    by: t.field({
      type: IdentityRef,
      nullable: true,
      description: 'Who did it; null: it came by itself, or you may not read identities.',
      resolve: ({ actorId }, _args, { load }) => (actorId === null ? null : load.identity.load(actorId)),
    }),
  }),
});

export const ArrivalRef = builder
  .objectRef<{ readonly from: Date; readonly until: Date }>('Arrival')
  .implement({
    description:
      'When somebody will be there: a band that four of five arrivals lie in. It widens with the age of what it is reckoned from.',
    fields: (t) => ({
      from: t.field({ type: 'DateTime', description: 'Hardly earlier.', resolve: ({ from }) => from }),
      until: t.field({ type: 'DateTime', description: 'Hardly later.', resolve: ({ until }) => until }),
    }),
  });

JobRef.implement({
  description:
    'Work at a place in a time window. Customers see their own: state and arrival, and never where or who a worker is.',
  fields: (t) => ({
    customer: t.field({
      type: CustomerRef,
      nullable: true,
      description: 'Whose it is.',
      resolve: ({ customerId }, _args, { load }) => load.customer.load(customerId),
    }),
    kind: t.field({
      type: JobKindEnum,
      description: 'When somebody is wanted.',
      resolve: ({ kind }) => kind as (typeof JobKindEnum)['$inferType'],
    }),
    type: t.exposeString('type', { description: 'What sort of work it is.' }),
    skills: t.field({
      type: [SkillRef],
      description: 'What who comes has to be able to do.',
      resolve: ({ skillIds }, _args, ctx) => skillsByIds(skillIds, ctx),
    }),
    minQuality: t.exposeFloat('minQuality', {
      description: 'Proven quality that is asked for in each skill.',
    }),
    place: t.field({ type: PlaceRef, description: 'Where it is.', resolve: (job) => job }),
    notBefore: t.field({
      type: 'DateTime',
      description: 'When it may begin.',
      resolve: ({ notBefore }) => notBefore,
    }),
    dueBy: t.field({
      type: 'DateTime',
      description: 'By when somebody is to be there.',
      resolve: ({ dueBy }) => dueBy,
    }),
    durationSeconds: t.exposeInt('durationSeconds', { description: 'How long it takes.' }),
    priority: t.exposeInt('priority', { description: '1 to 10; 5 is common.' }),
    state: t.field({
      type: JobStateEnum,
      description: 'Where it stands.',
      resolve: ({ state }) => state as JobState,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was created.',
      resolve: (job) => job.createdAt,
    }),
    acceptedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When somebody accepted it.',
      resolve: (job) => job.acceptedAt,
    }),
    checkedInAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When they proved that they are there.',
      resolve: (job) => job.checkedInAt,
    }),
    doneAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was done.',
      resolve: (job) => job.doneAt,
    }),
  }),
});

builder.objectFields(JobRef, (t) => ({
  reason: t.string({
    nullable: true,
    authScopes: { role: staff },
    description: 'Why it is in its state, in words: of UNASSIGNED_ALERT, what keeps whom from it.',
    resolve: ({ reason }) => reason,
  }),
  checkInCode: t.string({
    nullable: true,
    authScopes: { role: ['CUSTOMER', 'DISPATCHER', 'OPERATOR'] },
    description: 'Six digits that who comes has to be told: they prove that they are there.',
    resolve: ({ checkInCode }) => checkInCode,
  }),
  noShowAt: t.field({
    type: 'DateTime',
    nullable: true,
    authScopes: { role: staff },
    description: 'Since when somebody should look after it: who accepted it has not come.',
    resolve: (job) => job.noShowAt,
  }),
  arrival: t.field({
    type: ArrivalRef,
    nullable: true,
    authScopes: { role: ['CUSTOMER', 'DISPATCHER', 'OPERATOR'] },
    description: 'Of an accepted job, when somebody will be there, as it looks now; null where nobody knows.',
    resolve: ({ id, state }, _args, ctx) => (state === 'ACCEPTED' ? resolvers.arrivalOf(id, ctx) : null),
  }),
  offer: t.field({
    type: OfferRef,
    nullable: true,
    authScopes: { role: [...staff, 'EXPERT'] },
    description: 'The offer that is live or was accepted.',
    resolve: ({ offerId }, _args, { load }) => (offerId === null ? null : load.offer.load(offerId)),
  }),
  offers: t.field({
    type: [OfferRef],
    nullable: true,
    authScopes: { role: staff },
    description: 'Everybody who was asked, in that order; the latest 50.',
    complexity: { field: 1, multiplier: 10 },
    resolve: ({ id }, _args, { load }) => load.offersOfJob.load(id),
  }),
  moves: t.field({
    type: [JobMoveRef],
    nullable: true,
    authScopes: { role: staff },
    description: 'What happened to it, in that order; the latest 100.',
    complexity: { field: 1, multiplier: 10 },
    resolve: ({ id }, _args, { load }) => load.movesOfJob.load(id),
  }),
}));

const JobConnection = connectionOf(JobRef, 'jobs');

builder.queryField('jobs', (t) =>
  t.field({
    type: JobConnection,
    description:
      'Jobs in the order in which they were created: a customer’s own; of a worker, what they have been offered; the tenant’s.',
    authScopes: { role: [...staff, 'CUSTOMER', 'EXPERT'] },
    args: {
      ...connectionArgs(),
      states: t.arg({ type: [JobStateEnum], required: false, description: 'Only in these states.' }),
    },
    complexity: connectionCost,
    resolve: (_root, { states, ...args }, ctx) =>
      pageOf(args, { ctx, type: 'Job' }, (page) => resolvers.jobs({ ...page, states: states ?? null }, ctx)),
  }),
);

const OfferConnection = connectionOf(OfferRef, 'offers');

builder.queryField('offers', (t) =>
  t.field({
    type: OfferConnection,
    description: 'Offers, the latest first: a worker’s own, or the tenant’s.',
    authScopes: { role: [...staff, 'EXPERT'] },
    args: { ...connectionArgs() },
    complexity: connectionCost,
    resolve: (_root, args, ctx) =>
      pageOf(args, { ctx, type: 'Offer' }, (page) => resolvers.offers(page, ctx)),
  }),
);
