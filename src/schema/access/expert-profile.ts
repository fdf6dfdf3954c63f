import * as resolvers from '../../resolvers/qualification.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { builder } from '../builder.js';
import { ExpertRef, SkillRef } from '../refs.js';
import { SkillPreferenceEnum } from './expert.js';
import { expertPayload } from './expert-payload.js';

export const UpdateExpertInput = builder.inputType('UpdateExpertInput', {
  description: 'What `updateExpert` changes; what is left out stays as it is.',
  fields: (t) => ({
    expertId: t.globalID({ required: true, for: ExpertRef, description: 'Which expert.' }),
    languages: t.stringList({
      required: false,
      description:
        'All languages of the expert, as BCP 47 has them. A project that asks for "pt-br" is not met by "pt": list both where both are meant.',
    }),
    tags: t.stringList({
      required: false,
      description: 'All tags of the expert: at most 20 of 1 to 50 letters, digits and _ . : -',
    }),
    dailyCap: t.int({
      required: false,
      description: 'Claims that the expert may take in a UTC day, 1 to 10000; null: no cap.',
    }),
  }),
});

builder.mutationField('updateExpert', (t) =>
  t.field({
    type: expertPayload('UpdateExpertPayload', 'updateExpert'),
    nullable: true,
    description: 'Changes what an expert brings beside skills. It holds for every claim that follows.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: UpdateExpertInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input }, ctx) => resolvers.updateExpert(input, ctx),
  }),
);

export const SetSkillPreferenceInput = builder.inputType('SetSkillPreferenceInput', {
  description: 'What `setSkillPreference` needs.',
  fields: (t) => ({
    skillId: t.globalID({ required: true, for: SkillRef, description: 'Which of your skills.' }),
    preference: t.field({
      type: SkillPreferenceEnum,
      required: true,
      description: 'How you like it.',
    }),
  }),
});

builder.mutationField('setSkillPreference', (t) =>
  t.field({
    type: expertPayload('SetSkillPreferencePayload', 'setSkillPreference'),
    nullable: true,
    description:
      'Says how you like a skill of yours. It weighs where there is a choice; it neither refuses nor promises work.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: [NotFoundError] },
    args: { input: t.arg({ type: SetSkillPreferenceInput, required: true, description: 'The preference.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setSkillPreference(input, ctx),
  }),
);
