import * as resolvers from '../../resolvers/routing.js';
import { shapeOfHeld } from '../../resolvers/shapes.js';
import { NotFoundError } from '../../services/access/errors.js';
import type { ClaimResult, EmptyQueue } from '../../services/routing/claim.js';
import { builder } from '../builder.js';
import { AssignmentRef, SkillRef } from '../refs.js';

const EmptyReasonEnum = builder.enumType('EmptyReason', {
  description: 'Why there is nothing to do: exact when it was answered.',
  values: {
    NO_OPEN_TASK: { description: 'No task of your skills waits.' },
    ALL_ANSWERED_BY_YOU: { description: 'Of what waits you have had each task already.' },
    RESERVED_FOR_OTHERS: { description: 'What waits is reserved for other experts.' },
    PAUSED: { description: 'You, or all your skills that were asked for, are paused.' },
    QUALITY_BELOW_MINIMUM: { description: 'What waits asks for more than your proven quality.' },
    NO_SKILL: { description: 'You have none of the skills that were asked for.' },
    REQUIREMENTS_NOT_MET: {
      description: 'What waits asks for further skills, languages or qualifications that you do not have.',
    },
    CONFLICT_OF_INTEREST: { description: 'What waits is of customers whose work you may not see.' },
    PROJECT_CAP_REACHED: { description: 'Of what waits you have had as many tasks as one expert may.' },
    DAILY_CAP_REACHED: {
      description:
        'You have taken as many tasks today as your daily cap allows; the day ends at midnight UTC.',
    },
    BUSY: { description: 'Others are claiming at this very moment: ask again in a second.' },
  } as const,
});

const EmptyQueueRef = builder.objectRef<EmptyQueue>('EmptyQueue').implement({
  description: 'There is nothing to do just now. No error: ask again when it says.',
  fields: (t) => ({
    reason: t.field({ type: EmptyReasonEnum, description: 'Why.', resolve: ({ reason }) => reason }),
    message: t.string({
      description: 'The same in a sentence.',
      resolve: ({ reason }) => resolvers.emptyMessage(reason),
    }),
    retryAfterSeconds: t.exposeInt('retryAfterSeconds', {
      description: 'When asking again makes sense; spread, so that a crowd does not come at once.',
    }),
  }),
});

export const ClaimTaskPayloadRef = builder.objectRef<ClaimResult>('ClaimTaskPayload').implement({
  description: 'A task under a fresh lease (or what you hold already), or why there is none.',
  fields: (t) => ({
    assignment: t.field({
      type: AssignmentRef,
      nullable: true,
      description: 'What you hold now; null where there is nothing to do.',
      resolve: (result) => ('held' in result ? shapeOfHeld(result.held) : null),
    }),
    empty: t.field({
      type: EmptyQueueRef,
      nullable: true,
      description: 'Why there is nothing to do; null where there is.',
      resolve: (result) => ('empty' in result ? result.empty : null),
    }),
  }),
});

export const ClaimTaskInput = builder.inputType('ClaimTaskInput', {
  description: 'What `claimTask` needs.',
  fields: (t) => ({
    skillId: t.globalID({
      required: false,
      for: SkillRef,
      description: 'Only work of this skill (default: any of yours).',
    }),
  }),
});

builder.mutationField('claimTask', (t) =>
  t.field({
    type: ClaimTaskPayloadRef,
    nullable: true,
    description: 'Takes the next task. You hold one at a time: while you do, this answers that one again.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: [NotFoundError] },
    args: { input: t.arg({ type: ClaimTaskInput, required: true, description: 'Which work.' }) },
    resolve: (_root, { input }, ctx) => resolvers.claimTask(input, ctx),
  }),
);
