import * as resolvers from '../../resolvers/quality.js';
import type { JudgingMethod } from '../../services/quality/reads/project-quality.js';
import { builder } from '../builder.js';
import { ProjectRef } from '../refs.js';

export const JudgingMethodEnum = builder.enumType('JudgingMethodName', {
  description: 'How the truth is inferred from answers.',
  values: {
    GOLD_BAYES: { description: 'Each answer weighs what its expert’s score says: the default.' },
    MAJORITY: { description: 'Each answer weighs the same.' },
    ONE_COIN: { description: 'By one accuracy an expert, learnt from all answers of the project.' },
    DAWID_SKENE: { description: 'By a confusion matrix an expert, learnt from all answers of the project.' },
    HYBRID: { description: 'By a matrix for experts of many answers, by one accuracy for the others.' },
    ORDINAL: { description: 'By how far off an expert is on the ordered scale.' },
    NUMBERS: { description: 'Numbers: by how far off an expert’s score says that they are.' },
  } as const,
});

const MethodReasonEnum = builder.enumType('MethodReason', {
  description: 'Why a dimension is judged as it is.',
  values: {
    CHOSEN_ON_GOLD: { description: 'It does best on the project’s gold, or nothing does better.' },
    TOO_LITTLE_GOLD: {
      description:
        'The default: fewer than 10 tasks of known truth were answered, gold that was minted left out, or fewer than 50 items as large as a task. Nothing is calibrated.',
    },
    NOT_LOOKED_YET: {
      description:
        'The default: nothing was looked at yet, for no gold was answered, or not since the last look, which comes every ten minutes. Nothing is calibrated.',
    },
    NOTHING_TO_CHOOSE: { description: 'The default: the task type declares no classes and no tolerance.' },
  } as const,
});

const MethodTrialRef = builder.objectRef<JudgingMethod['trials'][number]>('MethodTrial').implement({
  description: 'How a method did on gold.',
  fields: (t) => ({
    method: t.field({ type: JudgingMethodEnum, description: 'Which.', resolve: ({ method }) => method }),
    accuracy: t.exposeFloat('accuracy', {
      description: 'How right its results are; on an ordered scale, how near.',
    }),
    stated: t.exposeFloat('stated', { description: 'How sure its calibrated results are, on average.' }),
  }),
});

export const JudgingMethodRef = builder.objectRef<JudgingMethod>('JudgingMethod').implement({
  description:
    'By what one dimension of a project is judged: chosen on the project’s gold, each item of it judged as a task of the project would be, none by its own truth.',
  fields: (t) => ({
    dimension: t.exposeString('dimension', { description: 'Which dimension.' }),
    method: t.field({ type: JudgingMethodEnum, description: 'The method.', resolve: ({ method }) => method }),
    version: t.exposeInt('version', {
      nullable: true,
      description: 'Counts up with each fit; results say which they are from. Null before the first.',
    }),
    reason: t.field({ type: MethodReasonEnum, description: 'Why.', resolve: ({ reason }) => reason }),
    isCalibrated: t.exposeBoolean('isCalibrated', {
      description:
        'Whether how sure results are was held to truths that were not chosen by how sure they were, and to enough of them: fifty adjudications of tasks that were drawn (`drawnTasks`), or fifty golds by hand or imported, each by itself. Where nine in ten of fifty are right, that share is known to within .08 with probability .95; of gold that somebody gave, as far as it is like the work: who gives it has chosen it. And as far as stronger experts are right: an adjudicator who errs in one of twenty makes results look that much less right than they are, so that what is stated is too low rather than too high. False: fewer of both, or too many of what was drawn wait for a budget, which are those at odds; probabilities are then the method’s own word, or held to too little, and on hard tasks they say too much (UNCALIBRATED).',
    }),
    goldTasks: t.exposeInt('goldTasks', {
      nullable: true,
      description:
        'Gold by hand or imported and tasks that were drawn for a stronger expert, whose truth is known and that were answered; not gold that was minted, which is what the project was sure of already. Null, as the figures below, before the first version.',
    }),
    drawnTasks: t.exposeInt('drawnTasks', {
      nullable: true,
      description:
        'How many of `goldTasks` were drawn: a sample of the project’s finished tasks. The others somebody chose, and once fifty of the drawn ones have answers that count they alone are looked at. Null also of versions that were made before this was kept.',
    }),
    goldAnswers: t.exposeInt('goldAnswers', { nullable: true, description: 'Answers to it.' }),
    goldItems: t.exposeInt('goldItems', {
      nullable: true,
      description: 'Items that were made of those answers, each with as many as a task has.',
    }),
    answersAnItem: t.exposeInt('answersAnItem', {
      nullable: true,
      description: 'Answers that a task has, on average, and an item at least.',
    }),
    answers: t.exposeInt('answers', {
      nullable: true,
      description: 'Answers to the project’s tasks that were learnt from.',
    }),
    trials: t.field({
      type: [MethodTrialRef],
      description: 'How each method did on the same items; none where there is too little gold.',
      resolve: ({ trials }) => [...trials],
    }),
    chosenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was fitted.',
      resolve: ({ chosenAt }) => chosenAt,
    }),
  }),
});

builder.queryField('judgingMethods', (t) =>
  t.field({
    type: [JudgingMethodRef],
    description:
      'By what the dimensions of a project are judged, or were by an earlier version; nothing where there is no such thing.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    args: {
      projectId: t.arg.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
      dimension: t.arg.string({
        required: false,
        description: 'Which dimension of its task type; by default all.',
      }),
      version: t.arg.int({ required: false, description: 'Which version; by default the one that holds.' }),
    },
    resolve: (_root, { projectId, dimension, version }, ctx) =>
      resolvers.judgingMethods(
        { projectId: projectId.id, dimension: dimension ?? null, version: version ?? null },
        ctx,
      ),
  }),
);
