import * as resolvers from '../../resolvers/access.js';
import { pageOf } from '../../resolvers/paging.js';
import { InputInvalidError, NameTakenError, NotFoundError } from '../../services/access/errors.js';
import { EXPLORATION_SHARE } from '../../services/quality/gold/door.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { SkillRef } from '../refs.js';

SkillRef.implement({
  description: 'Something that experts can do, and that projects ask for.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Unique inside the tenant.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was added.', resolve: (s) => s.createdAt }),
    explorationShare: t.float({
      nullable: true,
      description:
        'The share of newcomers’ doors that chance opens (see `newcomerDoors`); null for experts and customers.',
      resolve: ({ explorationShare }, _args, { viewer }) =>
        viewer.role === 'OPERATOR' || viewer.role === 'ANALYST'
          ? (explorationShare ?? EXPLORATION_SHARE)
          : null,
    }),
  }),
});

const SkillConnection = connectionOf(SkillRef, 'skills');

builder.queryField('skills', (t) =>
  t.field({
    type: SkillConnection,
    description: 'The tenant’s skills, oldest first.',
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, ctx) => pageOf(args, { ctx, type: 'Skill' }, (p) => resolvers.skills(p, ctx)),
  }),
);

export const CreateSkillInput = builder.inputType('CreateSkillInput', {
  description: 'What `createSkill` needs.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Unique inside the tenant; 1 to 200 characters.' }),
  }),
});

const CreateSkillPayload = builder.objectRef<{ skillId: bigint }>('CreateSkillPayload').implement({
  description: 'What `createSkill` did.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The new skill.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
  }),
});

builder.mutationField('createSkill', (t) =>
  t.field({
    type: CreateSkillPayload,
    nullable: true,
    description: 'Adds a skill to the tenant.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NameTakenError, InputInvalidError] },
    args: { input: t.arg({ type: CreateSkillInput, required: true, description: 'The new skill.' }) },
    resolve: (_root, { input }, ctx) => resolvers.createSkill(input, ctx),
  }),
);

export const SetExplorationShareInput = builder.inputType('SetExplorationShareInput', {
  description: 'What `setExplorationShare` needs.',
  fields: (t) => ({
    skillId: t.globalID({ required: true, for: SkillRef, description: 'Which skill.' }),
    share: t.float({
      required: false,
      description: '0 to 0.5; null: the default, 0.1. Has to be said, null too.',
    }),
  }),
});

const SetExplorationSharePayload = builder
  .objectRef<{ skillId: bigint }>('SetExplorationSharePayload')
  .implement({
    description: 'What `setExplorationShare` did.',
    fields: (t) => ({
      skill: t.field({
        type: SkillRef,
        nullable: true,
        description: 'The skill as it is now.',
        resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
      }),
    }),
  });

builder.mutationField('setExplorationShare', (t) =>
  t.field({
    type: SetExplorationSharePayload,
    nullable: true,
    description:
      'Sets how many doors of a skill’s newcomers chance opens from now on: with each result one is drawn, and kept with the share it was drawn by.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: SetExplorationShareInput, required: true, description: 'The share.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setExplorationShare(input, ctx),
  }),
);
