import * as resolvers from '../../resolvers/qualification.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { builder } from '../builder.js';
import { ExpertRef, SkillRef } from '../refs.js';
import { expertPayload } from './expert-payload.js';

export const PauseExpertInput = builder.inputType('PauseExpertInput', {
  description: 'What `pauseExpert` needs.',
  fields: (t) => ({
    expertId: t.globalID({ required: true, for: ExpertRef, description: 'Who.' }),
    skillId: t.globalID({
      required: false,
      for: SkillRef,
      description: 'Only this skill of theirs (default: all work).',
    }),
    reason: t.string({
      required: true,
      description: 'Why; 1 to 500 characters. The expert reads it: name no gold.',
    }),
    withdrawHeld: t.boolean({
      required: false,
      description:
        'For fraud: what they hold of it ends at once, unpaid, and goes to somebody else (default: it may be submitted and is paid, but is not extended).',
    }),
  }),
});

builder.mutationField('pauseExpert', (t) =>
  t.field({
    type: expertPayload('PauseExpertPayload', 'pauseExpert'),
    nullable: true,
    description:
      'Pauses an expert, or one skill of theirs: no claim that follows gives them such work. While a pause holds its first reason stands.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: PauseExpertInput, required: true, description: 'The pause.' }) },
    resolve: (_root, { input }, ctx) => resolvers.pauseExpert(input, ctx),
  }),
);

export const ResumeExpertInput = builder.inputType('ResumeExpertInput', {
  description: 'What `resumeExpert` needs.',
  fields: (t) => ({
    expertId: t.globalID({ required: true, for: ExpertRef, description: 'Who.' }),
    skillId: t.globalID({
      required: false,
      for: SkillRef,
      description: 'The skill whose pause ends (default: the pause of all work; pauses of skills stay).',
    }),
    reason: t.string({
      required: true,
      description: 'Why; 1 to 500 characters. The expert reads it: name no gold.',
    }),
  }),
});

builder.mutationField('resumeExpert', (t) =>
  t.field({
    type: expertPayload('ResumeExpertPayload', 'resumeExpert'),
    nullable: true,
    description:
      'Takes a pause back, or ends a re-test, as one in which nothing can be graded has to be; a skill is on probation or active again, as it was before, and only what follows counts. Where nothing is paused or tested, nothing is done.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: ResumeExpertInput, required: true, description: 'Whose pause.' }) },
    resolve: (_root, { input }, ctx) => resolvers.resumeExpert(input, ctx),
  }),
);
