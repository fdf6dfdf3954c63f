import * as resolvers from '../../resolvers/access.js';
import { InputInvalidError, NameTakenError, NotFoundError } from '../../services/access/errors.js';
import { builder } from '../builder.js';
import { ExpertRef, SkillRef } from '../refs.js';
import { ExpertStatusEnum, SkillStatusEnum } from './expert.js';
import { expertPayload } from './expert-payload.js';

export const CreateExpertInput = builder.inputType('CreateExpertInput', {
  description: 'What `createExpert` needs.',
  fields: (t) => ({
    handle: t.string({ required: true, description: 'Unique inside the tenant; 1 to 200 characters.' }),
    displayName: t.string({
      required: false,
      description: 'How the identity is called (default: the handle).',
    }),
    subject: t.string({
      required: false,
      description: 'The subject of the access tokens that act as this expert; without it nobody can yet.',
    }),
    mayHaveOtherRoles: t.boolean({
      required: false,
      description:
        'Whether whoever that is may act in another role of the tenant already; otherwise it is refused. Who acts in two roles can read in one what the other must not know.',
    }),
  }),
});

builder.mutationField('createExpert', (t) =>
  t.field({
    type: expertPayload('CreateExpertPayload', 'createExpert'),
    nullable: true,
    description: 'Adds an expert to the tenant, and the identity that acts as them.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NameTakenError, InputInvalidError] },
    args: { input: t.arg({ type: CreateExpertInput, required: true, description: 'The new expert.' }) },
    resolve: (_root, { input }, ctx) => resolvers.createExpert(input, ctx),
  }),
);

export const SetExpertSkillInput = builder.inputType('SetExpertSkillInput', {
  description: 'What `setExpertSkill` needs.',
  fields: (t) => ({
    expertId: t.globalID({ required: true, for: ExpertRef, description: 'Whose skill.' }),
    skillId: t.globalID({ required: true, for: SkillRef, description: 'Which skill.' }),
    status: t.field({ type: SkillStatusEnum, required: true, description: 'Whether work may be given.' }),
    qualityMean: t.float({
      required: false,
      description:
        'What you vouch for, 0 to 1, until quality is measured, which starts from it and refuses other figures; with `qualityLower` or not at all.',
    }),
    qualityLower: t.float({
      required: false,
      description: 'The quality that is proven, 0 to `qualityMean`.',
    }),
  }),
});

builder.mutationField('setExpertSkill', (t) =>
  t.field({
    type: expertPayload('SetExpertSkillPayload', 'setExpertSkill'),
    nullable: true,
    description:
      'Gives an expert a skill, or changes its status or quality. A pause holds for every claim that follows.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: SetExpertSkillInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setExpertSkill(input, ctx),
  }),
);

export const SetExpertStatusInput = builder.inputType('SetExpertStatusInput', {
  description: 'What `setExpertStatus` needs.',
  fields: (t) => ({
    expertId: t.globalID({ required: true, for: ExpertRef, description: 'Which expert.' }),
    status: t.field({
      type: ExpertStatusEnum,
      required: true,
      description: 'Whether work may be given at all.',
    }),
  }),
});

builder.mutationField('setExpertStatus', (t) =>
  t.field({
    type: expertPayload('SetExpertStatusPayload', 'setExpertStatus'),
    nullable: true,
    description: 'Pauses an expert in all skills without a reason, or takes the pause back.',
    deprecationReason: 'Use pauseExpert and resumeExpert: they keep the reason.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError] },
    args: { input: t.arg({ type: SetExpertStatusInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setExpertStatus(input, ctx),
  }),
);
