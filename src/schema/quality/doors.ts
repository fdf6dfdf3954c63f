import * as resolvers from '../../resolvers/findings.js';
import { pageOf } from '../../resolvers/paging.js';
import type { NewcomerDoor } from '../../services/quality/reads/doors.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { ExpertRef, SkillRef, TaskTypeRef } from '../refs.js';

const DoorKindEnum = builder.enumType('NewcomerDoorKind', {
  description: 'By what right a newcomer is taken for a quality.',
  values: {
    LOWER_BOUND: { description: 'The rule: what is proven.' },
    EXPLORATION: {
      description:
        'An exception by chance, one in ten or as the skill says: drawn from what may be true of them.',
    },
    RETEST: {
      description:
        'An exception while somebody whom results paused is tested anew: by the results of the test.',
    },
    HIGH_BARS: {
      description:
        'An exception because all that the skill has asks for .80 or more: the least of those bars, while they may be that good.',
    },
    KEPT: {
      description:
        'An exception because they reached it before, and results do not say with probability .9 that they are below it.',
    },
    TRIAL: {
      description:
        'An exception after some days below: to be measured at a bar anew, by the results that follow alone.',
    },
    SCARCE_SKILL: { description: 'An exception because the skill has fewer than three proven experts.' },
  } as const,
});

const DoorRef = builder.objectRef<NewcomerDoor>('NewcomerDoor').implement({
  description:
    'What claims took an expert for who is new, or below a bar that they reached. No exception for newcomers reaches where adjudications wait.',
  fields: (t) => ({
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Who.',
      resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
    }),
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'In which skill.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
    taskType: t.field({
      type: TaskTypeRef,
      nullable: true,
      description: 'In which task type; null: in all of the skill in which nothing else is known of them.',
      resolve: ({ taskTypeId }, _args, { load }) =>
        taskTypeId === 0n ? null : load.taskType.load(taskTypeId),
    }),
    kind: t.field({ type: DoorKindEnum, description: 'By what right.', resolve: ({ kind }) => kind }),
    quality: t.exposeFloat('quality', { description: 'What a project’s minimum was compared with.' }),
    mean: t.exposeFloat('mean', { description: 'The best guess of their accuracy then.' }),
    lower: t.exposeFloat('lower', { description: 'The accuracy that they were above with probability .95.' }),
    results: t.exposeInt('results', { description: 'Graded answers that it rests on.' }),
    provenExperts: t.exposeInt('provenExperts', {
      description:
        'Proven experts of the skill then; counted up to three, and only where a newcomer’s door depends on it.',
    }),
    drawnToExplore: t.exposeFloat('explore', {
      nullable: true,
      description:
        'The uniform number that decided whether to explore: below `exploreShare`; null where nothing was drawn.',
    }),
    exploreShare: t.exposeFloat('share', {
      nullable: true,
      description:
        'The share of doors that chance opened then; null where nothing was drawn, or before shares were kept.',
    }),
    drawnAccuracy: t.exposeFloat('accuracy', {
      nullable: true,
      description:
        'The uniform number that chose an accuracy out of what may be true; null where nothing was drawn.',
    }),
    openedAt: t.field({ type: 'DateTime', description: 'Since when.', resolve: ({ openedAt }) => openedAt }),
  }),
});

const DoorConnection = connectionOf(DoorRef, 'doors');

builder.queryField('newcomerDoors', (t) =>
  t.field({
    type: DoorConnection,
    description:
      'What experts on probation were taken for, newest first, with each exception and its draw. Refused to whoever may act as an expert.',
    authScopes: { role: ['ANALYST', 'OPERATOR'] },
    args: {
      ...connectionArgs(),
      expertId: t.arg.globalID({ required: false, for: ExpertRef, description: 'Whose.' }),
      skillId: t.arg.globalID({ required: false, for: SkillRef, description: 'In which skill.' }),
      exceptionsOnly: t.arg.boolean({
        required: false,
        description: 'Only those that are not by the lower bound (default: false).',
      }),
    },
    complexity: connectionCost,
    resolve: (_root, { expertId, skillId, exceptionsOnly, ...args }, ctx) => {
      const filter = {
        expertId: expertId?.id ?? null,
        skillId: skillId?.id ?? null,
        exceptionsOnly: exceptionsOnly ?? false,
      };
      return pageOf(args, { ctx, type: 'NewcomerDoor' }, (page) => resolvers.doors(filter, page, ctx));
    },
  }),
);
