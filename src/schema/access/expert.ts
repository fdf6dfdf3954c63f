import type { ExpertSkill } from '../../generated/prisma/client.js';
import * as resolvers from '../../resolvers/access.js';
import { pageOf } from '../../resolvers/paging.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { ExpertRef, SkillRef } from '../refs.js';

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
    PROBATION: { description: 'Is being measured: works like ACTIVE, within the quality that is proven.' },
    ACTIVE: { description: 'Works in this skill.' },
    PAUSED: { description: 'Is given no work of this skill.' },
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
    qualityMean: t.exposeFloat('qualityMean', { description: 'Measured quality, 0 to 1: the best guess.' }),
    qualityLower: t.exposeFloat('qualityLower', {
      description:
        'The quality that is proven: the lower credible bound, which projects’ minimum is held against.',
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When any of this changed last.',
      resolve: ({ updatedAt }) => updatedAt,
    }),
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
