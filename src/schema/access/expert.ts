import type { Conflict, ExpertSkill, Pause } from '../../generated/prisma/client.js';
import * as resolvers from '../../resolvers/access.js';
import { pageOf } from '../../resolvers/paging.js';
import * as quality from '../../resolvers/quality.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { CustomerRef, ExpertRef, IdentityRef, SkillRef } from '../refs.js';

export const ExpertStatusEnum = builder.enumType('ExpertStatus', {
  description: 'Whether an expert may be given work at all.',
  values: {
    ACTIVE: { description: 'May be given work of their skills.' },
    PAUSED: { description: 'Is given nothing; what they hold may still be submitted, but is not extended.' },
  } as const,
});

export const SkillStatusEnum = builder.enumType('SkillStatus', {
  description: 'Whether an expert may be given work of one skill.',
  values: {
    PROBATION: {
      description:
        'Is being measured: works like ACTIVE, within the quality that is proven or a recorded exception.',
    },
    ACTIVE: { description: 'Works in this skill.' },
    PAUSED: { description: 'Is given no work of this skill.' },
  } as const,
});

/** How an expert likes a skill, as it is stored. */
const PREFERENCE_OF = { '1': 'PREFER', '0': 'NEUTRAL', '-1': 'AVOID' } as const;

export const SkillPreferenceEnum = builder.enumType('SkillPreference', {
  description:
    'How an expert likes work of a skill. It weighs where there is a choice, and never refuses work.',
  values: {
    PREFER: { description: 'Rather this than others.' },
    NEUTRAL: { description: 'Like any other.' },
    AVOID: { description: 'Rather others; still given where it is pressing, or nothing else waits.' },
  } as const,
});

const ExpertSkillRef = builder.objectRef<ExpertSkill>('ExpertSkill').implement({
  description: 'What one expert can do, and how well as far as it was measured.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The skill.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
    status: t.field({
      type: SkillStatusEnum,
      description: 'Whether work of this skill may be given.',
      resolve: ({ status }) => status as 'PROBATION' | 'ACTIVE' | 'PAUSED',
    }),
    qualityMean: t.float({
      description:
        'Measured quality, 0 to 1: the best guess. To experts of themselves as they were shown it last (see `expertQuality`).',
      resolve: async (skill, _args, ctx) => (await quality.qualityOf(skill, ctx)).mean,
    }),
    qualityLower: t.float({
      description:
        'The quality that is proven: the lower credible bound, which projects’ minimum is held against.',
      resolve: async (skill, _args, ctx) => (await quality.qualityOf(skill, ctx)).lower,
    }),
    preference: t.field({
      type: SkillPreferenceEnum,
      description: 'How the expert likes it.',
      resolve: ({ preference }) => PREFERENCE_OF[`${preference}` as keyof typeof PREFERENCE_OF],
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When the status changed last, or somebody set its figures.',
      resolve: ({ updatedAt }) => updatedAt,
    }),
  }),
});

const ConflictRef = builder.objectRef<Conflict>('ConflictOfInterest').implement({
  description: 'A customer whose work an expert must not see.',
  fields: (t) => ({
    customer: t.field({
      type: CustomerRef,
      nullable: true,
      description: 'Whose work.',
      resolve: ({ customerId }, _args, { load }) => load.customer.load(customerId),
    }),
    reason: t.exposeString('reason', { description: 'Why.' }),
    createdAt: t.field({ type: 'DateTime', description: 'Since when.', resolve: (c) => c.createdAt }),
  }),
});

const PauseRef = builder.objectRef<Pause>('Pause').implement({
  description: 'Why and since when an expert, or one skill of theirs, is given no work.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'Which skill; null: all work.',
      resolve: ({ skillId }, _args, { load }) => (skillId === null ? null : load.skill.load(skillId)),
    }),
    reason: t.exposeString('reason', { description: 'Why.' }),
    withdrewHeld: t.exposeBoolean('withdrew', { description: 'Whether what they held ended with it.' }),
    pausedBy: t.field({
      type: IdentityRef,
      nullable: true,
      description: 'By whom; null: by results on gold and adjudications.',
      resolve: ({ pausedBy }, _args, { load }) => (pausedBy === null ? null : load.identity.load(pausedBy)),
    }),
    pausedAt: t.field({ type: 'DateTime', description: 'Since when.', resolve: (p) => p.pausedAt }),
  }),
});

ExpertRef.implement({
  description: 'A person who does the work. Experts see themselves; customers never see who answered.',
  authScopes: { role: ['EXPERT', 'ANALYST', 'DISPATCHER', 'OPERATOR'] },
  fields: (t) => ({
    handle: t.exposeString('handle', { description: 'How the expert is called inside the tenant; unique.' }),
    status: t.field({
      type: ExpertStatusEnum,
      description: 'Whether work may be given at all.',
      resolve: ({ status }) => status as 'ACTIVE' | 'PAUSED',
    }),
    languages: t.exposeStringList('languages', {
      description: 'Languages, as BCP 47 has them, in lower case.',
    }),
    tags: t.exposeStringList('tags', { description: 'Tags that projects may ask for.' }),
    dailyCap: t.exposeInt('dailyCap', {
      nullable: true,
      description: 'Claims that they may take in a UTC day; null: no cap.',
    }),
    conflicts: t.field({
      type: [ConflictRef],
      nullable: true,
      description: 'Customers whose work they must not see; the first 100.',
      authScopes: { role: ['OPERATOR'] },
      resolve: ({ id }, _args, { load }) => load.expertConflicts.load(id),
    }),
    pauses: t.field({
      type: [PauseRef],
      nullable: true,
      description: 'Pauses that hold just now, with their reasons; the first 100.',
      authScopes: { role: ['OPERATOR', 'ANALYST'] },
      resolve: ({ id }, _args, { load }) => load.expertPauses.load(id),
    }),
    skills: t.field({
      type: [ExpertSkillRef],
      description: 'What the expert can do.',
      resolve: ({ id }, _args, { load }) => load.expertSkills.load(id),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When they were added.',
      resolve: (e) => e.createdAt,
    }),
  }),
});

const ExpertConnection = connectionOf(ExpertRef, 'experts');

builder.queryField('experts', (t) =>
  t.field({
    type: ExpertConnection,
    description: 'The tenant’s experts, oldest first.',
    authScopes: { role: ['OPERATOR', 'ANALYST', 'DISPATCHER'] },
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, ctx) => pageOf(args, { ctx, type: 'Expert' }, (p) => resolvers.experts(p, ctx)),
  }),
);
