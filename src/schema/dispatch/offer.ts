import { builder } from '../builder.js';
import { ExpertRef, IdentityRef, JobRef, OfferRef } from '../refs.js';

export const OfferStateEnum = builder.enumType('OfferState', {
  description: 'What became of an offer.',
  values: {
    LIVE: { description: 'It can be accepted or declined until it ends.' },
    ACCEPTED: { description: 'It was accepted; the worker goes there, or is there.' },
    DONE: { description: 'The job was done.' },
    DECLINED: { description: 'The worker declined.' },
    EXPIRED: { description: 'It ended unanswered.' },
    WITHDRAWN: { description: 'It was taken back: the job was cancelled, or given by hand.' },
    REASSIGNED: { description: 'The job was taken from the worker after they had accepted.' },
    PREEMPTED: { description: 'A job of higher priority took its place.' },
  } as const,
});
type OfferState = (typeof OfferStateEnum)['$inferType'];

export const EtaConfidenceEnum = builder.enumType('EtaConfidence', {
  description: 'How far an expected arrival can be trusted.',
  values: {
    HIGH: { description: 'A road router told it.' },
    LOW: { description: 'It was reckoned without a router.' },
    MANUAL: { description: 'Somebody decided, whatever it is.' },
  } as const,
});

const staff = ['DISPATCHER', 'OPERATOR', 'ANALYST'] as const;

OfferRef.implement({
  description: 'A lease of one job to one worker. A worker sees their own, customers none.',
  fields: (t) => ({
    job: t.field({
      type: JobRef,
      nullable: true,
      description: 'The job.',
      resolve: ({ jobId }, _args, { load }) => load.job.load(jobId),
    }),
    worker: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Whom it is made to.',
      resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
    }),
    state: t.field({
      type: OfferStateEnum,
      description: 'What became of it. A live one whose time is up cannot be accepted any more.',
      resolve: ({ state }) => state as OfferState,
    }),
    isManual: t.boolean({
      description: 'Whether somebody who dispatches made it by hand.',
      resolve: ({ kind }) => kind === 'MANUAL',
    }),
    offeredAt: t.field({ type: 'DateTime', description: 'When it was made.', resolve: (o) => o.offeredAt }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Until when it can be accepted, by the clock of the database.',
      resolve: (o) => o.expiresAt,
    }),
    acceptedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was accepted.',
      resolve: (o) => o.acceptedAt,
    }),
    endedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it stood no more.',
      resolve: (o) => o.endedAt,
    }),
    etaSeconds: t.exposeFloat('etaSeconds', { description: 'Travel as expected when it was made.' }),
    etaLowSeconds: t.exposeFloat('etaLowSeconds', { description: 'The lower end of the 80 % band of that.' }),
    etaHighSeconds: t.exposeFloat('etaHighSeconds', {
      description: 'The upper end of the 80 % band of that.',
    }),
    etaConfidence: t.field({
      type: EtaConfidenceEnum,
      description: 'How far that can be trusted.',
      resolve: ({ etaConfidence }) => etaConfidence as (typeof EtaConfidenceEnum)['$inferType'],
    }),
  }),
});

builder.objectFields(OfferRef, (t) => ({
  score: t.float({
    nullable: true,
    authScopes: { role: staff },
    description: 'The score that it won with, least is best; null where somebody decided.',
    resolve: ({ score }) => score,
  }),
  jobsToday: t.int({
    nullable: true,
    authScopes: { role: staff },
    description: 'Jobs that the worker had taken since the tenant’s midnight.',
    resolve: ({ jobsToday }) => jobsToday,
  }),
  slackSeconds: t.float({
    nullable: true,
    authScopes: { role: staff },
    description: 'Time that was left at the expected arrival.',
    resolve: ({ slackSeconds }) => slackSeconds,
  }),
  decidedBy: t.field({
    type: IdentityRef,
    nullable: true,
    authScopes: { role: staff },
    description: 'Who made it by hand; who may not read identities sees null.',
    resolve: ({ actorId }, _args, { load }) => (actorId === null ? null : load.identity.load(actorId)),
  }),
  reason: t.string({
    nullable: true,
    authScopes: { role: staff },
    description: 'Why it was made by hand.',
    resolve: ({ reason }) => reason,
  }),
}));
