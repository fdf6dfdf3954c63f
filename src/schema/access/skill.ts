import * as resolvers from '../../resolvers/access.js';
import { pageOf } from '../../resolvers/paging.js';
import { InputInvalidError, NameTakenError } from '../../services/access/errors.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { SkillRef } from '../refs.js';

SkillRef.implement({
  description: 'Something that experts can do, and that projects ask for.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Unique inside the tenant.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was added.', resolve: (s) => s.createdAt }),
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
