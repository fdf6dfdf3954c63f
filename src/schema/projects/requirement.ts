import type { Project } from '../../generated/prisma/client.js';
import { skillsByIds } from '../../resolvers/access.js';
import { builder } from '../builder.js';
import { SkillRef } from '../refs.js';

/** What a project asks for beside its own skill. */
export const FurtherSkillsInput = builder.inputType('FurtherSkillsInput', {
  description: 'Skills that an expert needs beside the project’s own.',
  fields: (t) => ({
    allOf: t.globalIDList({
      required: false,
      for: SkillRef,
      description: 'All of these; at most 10.',
    }),
    anyOf: t.globalIDList({
      required: false,
      for: SkillRef,
      description: 'At least one of these; at most 10, none of which is in `allOf`.',
    }),
    minQuality: t.float({
      required: false,
      description: 'Proven quality that counts in each of them, 0 to 1, at most two decimals (default 0).',
    }),
  }),
});

export const FurtherSkillsRef = builder.objectRef<Project>('FurtherSkills').implement({
  description: 'Skills that an expert needs beside the project’s own.',
  fields: (t) => ({
    allOf: t.field({
      type: [SkillRef],
      description: 'All of these.',
      resolve: ({ requiredAll }, _args, ctx) => skillsByIds(requiredAll, ctx),
    }),
    anyOf: t.field({
      type: [SkillRef],
      description: 'At least one of these; empty asks for none.',
      resolve: ({ requiredAny }, _args, ctx) => skillsByIds(requiredAny, ctx),
    }),
    minQuality: t.exposeFloat('requiredMin', {
      description: 'Proven quality that counts in each of them, 0 to 1.',
    }),
  }),
});
