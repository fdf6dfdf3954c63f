import type { Pool, SkillPool } from '../../generated/prisma/client.js';
import { pageOf } from '../../resolvers/paging.js';
import * as resolvers from '../../resolvers/pools.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import type { Lift } from '../../services/routing/rebalance.js';
import type { Suggestion } from '../../services/routing/suggestions.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { ExpertRef, ProjectRef, SkillRef, TaskTypeRef } from '../refs.js';

const SkillPoolRef = builder.objectRef<SkillPool>('SkillPool').implement({
  description: 'What waits in a skill and who is there for it, as measured some seconds ago.',
  fields: (t) => ({
    queueDepth: t.exposeInt('queueDepth', {
      description: 'Tasks that wait for somebody, of all task types.',
    }),
    openAnswers: t.field({
      type: 'BigInt',
      description: 'Answers to them that can be given now.',
      resolve: (p) => p.openAnswers,
    }),
    oldestOpenSeconds: t.int({
      nullable: true,
      description: 'Age of the oldest task that waits; null where none does.',
      resolve: ({ oldestOpenAt }, _args, ctx) => resolvers.secondsSince(oldestOpenAt, ctx),
    }),
    expertsAvailable: t.exposeInt('expertsAvailable', {
      description: 'Experts who qualify for some of it and were at work in the last half hour.',
    }),
    expertsQualified: t.exposeInt('expertsQualified', {
      description: 'Experts who qualify for some of it and are not paused, at work or not.',
    }),
    secondsPerAnswer: t.exposeFloat('secondsPerAnswer', {
      description:
        'How long an answer takes, by the latest ones of each expert within a day, and as last measured where there are none; 300 before there was any.',
    }),
    capacityPerHour: t.exposeFloat('capacityPerHour', {
      description:
        'Answers an hour that the available experts can give (the qualified ones, where nobody is available), each shared evenly between their skills that have work.',
    }),
    pressure: t.exposeFloat('pressure', {
      description: 'Hours of work that wait for each of these experts: openAnswers over capacity.',
    }),
    computedAt: t.field({
      type: 'DateTime',
      description: 'When it was measured.',
      resolve: (p) => p.computedAt,
    }),
  }),
});

const PoolRef = builder.objectRef<Pool>('Pool').implement({
  description: 'What waits of one skill and task type.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The skill.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
    taskType: t.field({
      type: TaskTypeRef,
      nullable: true,
      description: 'The task type.',
      resolve: ({ taskTypeId }, _args, { load }) => load.taskType.load(taskTypeId),
    }),
    queueDepth: t.exposeInt('queueDepth', { description: 'Tasks that wait for somebody.' }),
    openAnswers: t.field({
      type: 'BigInt',
      description: 'Answers to them that can be given now.',
      resolve: (p) => p.openAnswers,
    }),
    oldestOpenSeconds: t.int({
      nullable: true,
      description: 'Age of the oldest task that waits; null where none does.',
      resolve: ({ oldestOpenAt }, _args, ctx) => resolvers.secondsSince(oldestOpenAt, ctx),
    }),
    computedAt: t.field({
      type: 'DateTime',
      description: 'When it was measured.',
      resolve: (p) => p.computedAt,
    }),
    skillPool: t.field({
      type: SkillPoolRef,
      nullable: true,
      description:
        'The whole skill: experts are there for all task types, so capacity and pressure are the skill’s.',
      resolve: ({ skillId }, _args, { load }) => load.skillPool.load(skillId),
    }),
    capacityPerHour: t.float({
      nullable: true,
      description: 'Answers an hour in the skill, of all task types.',
      resolve: async ({ skillId }, _args, { load }) =>
        (await load.skillPool.load(skillId))?.capacityPerHour ?? null,
    }),
    pressure: t.float({
      nullable: true,
      description: 'Hours of work in the skill, of all task types, for each expert who is there.',
      resolve: async ({ skillId }, _args, { load }) => (await load.skillPool.load(skillId))?.pressure ?? null,
    }),
  }),
});

const PoolConnection = connectionOf(PoolRef, 'pools');

builder.queryField('pools', (t) =>
  t.field({
    type: PoolConnection,
    description: 'What waits, by skill and task type, and who is there for it; oldest pools first.',
    authScopes: { role: ['OPERATOR', 'ANALYST'] },
    args: {
      ...connectionArgs(),
      skillId: t.arg.globalID({ required: false, for: SkillRef, description: 'Only of this skill.' }),
      taskTypeId: t.arg.globalID({
        required: false,
        for: TaskTypeRef,
        description: 'Only of this task type.',
      }),
    },
    complexity: connectionCost,
    resolve: (_root, { skillId, taskTypeId, ...args }, ctx) =>
      pageOf(args, { ctx, type: 'Pool' }, (p) =>
        resolvers.pools({ ...p, skillId: skillId?.id ?? null, taskTypeId: taskTypeId?.id ?? null }, ctx),
      ),
  }),
);

const SuggestedExpertRef = builder.objectRef<Suggestion>('SuggestedExpert').implement({
  description: 'An expert who is given no work of a skill, or not all that waits, and could be.',
  fields: (t) => ({
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Who.',
      resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
    }),
    reason: t.string({
      description: 'What keeps them from it, and what would mend it.',
      resolve: resolvers.reasonOf,
    }),
  }),
});

builder.queryField('suggestedExperts', (t) =>
  t.field({
    type: [SuggestedExpertRef],
    description:
      'Experts who could qualify for a skill in which work waits, at most 50: what is easiest to mend first. Nobody is ranked. Empty where nothing waits.',
    authScopes: { role: ['OPERATOR'] },
    args: { skillId: t.arg.globalID({ required: true, for: SkillRef, description: 'Which skill.' }) },
    resolve: (_root, { skillId }, ctx) => resolvers.suggestedExperts(skillId.id, ctx),
  }),
);

export const RebalanceSkillInput = builder.inputType('RebalanceSkillInput', {
  description: 'What `rebalanceSkill` needs.',
  fields: (t) => ({
    skillId: t.globalID({ required: true, for: SkillRef, description: 'Which skill.' }),
  }),
});

const LiftRef = builder.objectRef<Lift>('DeadlineLift').implement({
  description: 'A project that was moved forward to make its deadline.',
  fields: (t) => ({
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'Which project.',
      resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
    }),
    lift: t.exposeFloat('lift', {
      description: 'What its weight is multiplied by until the lift ends: more than 1, at most 8.',
    }),
    movedTasks: t.exposeInt('moved', { description: 'Tasks that came forward.' }),
  }),
});

const RebalanceSkillPayload = builder
  .objectRef<{ skillId: bigint; lifts: Lift[] }>('RebalanceSkillPayload')
  .implement({
    description: 'What `rebalanceSkill` did.',
    fields: (t) => ({
      skillPool: t.field({
        type: SkillPoolRef,
        nullable: true,
        description: 'What the deadlines were weighed against.',
        resolve: ({ skillId }, _args, { load }) => load.skillPool.load(skillId),
      }),
      lifts: t.field({
        type: [LiftRef],
        description: 'Projects that need more than their share; the others go by their weights.',
        resolve: ({ lifts }) => lifts,
      }),
    }),
  });

builder.mutationField('rebalanceSkill', (t) =>
  t.field({
    type: RebalanceSkillPayload,
    nullable: true,
    description:
      'Weighs the deadlines of a skill’s projects against its capacity, and moves the next tasks of those that would be late. It also comes by itself, each minute and when capacity has changed by more than a tenth.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: RebalanceSkillInput, required: true, description: 'Which skill.' }) },
    resolve: (_root, { input }, ctx) => resolvers.rebalanceSkill(input, ctx),
  }),
);
