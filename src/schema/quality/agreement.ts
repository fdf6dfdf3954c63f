import * as resolvers from '../../resolvers/quality.js';
import type {
  ExpertAgreement,
  PairAgreement,
  SkillAgreement,
} from '../../services/quality/reads/agreement.js';
import { builder } from '../builder.js';
import { ExpertRef, ProjectRef, SkillRef, TaskTypeRef } from '../refs.js';
import { ChanceCorrectedRef } from './chance-corrected.js';

const ALPHA_OF_PART =
  'Krippendorff’s alpha of these pairs of answers by the chance of all: 1 where they always agree, 0 at chance.';
const AGREED = 'The share of pairs of answers that say the same; null where values are numbers.';

const PairAgreementRef = builder.objectRef<PairAgreement>('PairAgreement').implement({
  description: 'How far two experts agree beyond chance in one dimension.',
  fields: (t) => ({
    dimension: t.exposeString('dimension', { description: 'Which dimension.' }),
    experts: t.field({
      type: [ExpertRef],
      description: 'The two.',
      resolve: async ({ one, other }, _args, { load }) =>
        (await Promise.all([load.expert.load(one), load.expert.load(other)])).filter(
          (expert) => expert !== null,
        ),
    }),
    tasks: t.exposeInt('tasks', { description: 'Finished tasks that both have answered.' }),
    alpha: t.exposeFloat('alpha', { nullable: true, description: ALPHA_OF_PART }),
    agreed: t.exposeFloat('agreed', { nullable: true, description: AGREED }),
    kappa: t.exposeFloat('kappa', {
      nullable: true,
      description:
        'Cohen’s kappa: 1 where they always agree, 0 at chance, below 0 for less than that; null where values are too many to be counted by class.',
    }),
    interval: t.field({
      type: ['Float'],
      nullable: true,
      description: 'kappa less and plus 1.96 standard errors; null where both always say one and the same.',
      resolve: ({ interval }) => (interval === null ? null : [...interval]),
    }),
    scottPi: t.exposeFloat('scottPi', {
      nullable: true,
      description:
        'Scott’s pi, which is Fleiss’ kappa of two experts: chance by how often the two together say each value. It is below kappa where one says a value more often than the other. Null as kappa.',
    }),
    gwetAc1: t.exposeFloat('gwetAc1', {
      nullable: true,
      description:
        'Gwet’s AC1 of the two, which does not fall apart where nearly everything has one value. Null as kappa.',
    }),
  }),
});

const ExpertAgreementRef = builder.objectRef<ExpertAgreement>('ExpertAgreement').implement({
  description: 'How an expert agrees with their peers in one dimension.',
  fields: (t) => ({
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Who.',
      resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
    }),
    tasks: t.exposeInt('tasks', { description: 'Their finished tasks that others have answered too.' }),
    alpha: t.exposeFloat('alpha', { nullable: true, description: ALPHA_OF_PART }),
    agreed: t.exposeFloat('agreed', { nullable: true, description: AGREED }),
  }),
});

const SkillAgreementRef = builder.objectRef<SkillAgreement>('SkillAgreement').implement({
  description: 'How answers agree in one dimension of a task type, over all projects of a skill.',
  fields: (t) => ({
    taskType: t.field({
      type: TaskTypeRef,
      nullable: true,
      description: 'Whose dimension.',
      resolve: ({ taskTypeId }, _args, { load }) => load.taskType.load(taskTypeId),
    }),
    dimension: t.exposeString('dimension', { description: 'Which dimension.' }),
    scale: t.exposeString('scale', {
      description: 'What it is measured on: NOMINAL, ORDINAL, INTERVAL or RATIO.',
    }),
    tasks: t.exposeInt('tasks', { description: 'Finished tasks with two answers or more.' }),
    alpha: t.exposeFloat('alpha', {
      nullable: true,
      description: 'Krippendorff’s alpha: 1 where all agree, 0 at chance.',
    }),
    chanceCorrected: t.field({
      type: ChanceCorrectedRef,
      description: 'Fleiss’ kappa and Gwet’s AC1.',
      resolve: (dimension) => dimension,
    }),
    experts: t.field({
      type: [ExpertAgreementRef],
      description:
        'Each expert with their peers, those with the most tasks first; at most 500 in the answer.',
      resolve: ({ experts }) => [...experts],
    }),
  }),
});

/** Reads a row a pair or expert, and their classes. */
const COST = 50;

builder.queryField('pairAgreement', (t) =>
  t.field({
    type: [PairAgreementRef],
    nullable: true,
    description:
      'Pairs of experts with the most tasks of a project in common, at most 100. Agreement moves nobody’s score: those who collude agree.',
    authScopes: { role: ['ANALYST', 'OPERATOR'] },
    complexity: { field: COST, multiplier: 10 },
    args: { projectId: t.arg.globalID({ required: true, for: ProjectRef, description: 'Which project.' }) },
    resolve: (_root, { projectId }, ctx) => resolvers.pairAgreement(projectId.id, ctx),
  }),
);

builder.queryField('skillAgreement', (t) =>
  t.field({
    type: [SkillAgreementRef],
    nullable: true,
    description:
      'How the answers of a skill agree, a task type and dimension each, and how each expert agrees with their peers. Agreement moves nobody’s score.',
    authScopes: { role: ['ANALYST', 'OPERATOR'] },
    complexity: { field: COST, multiplier: 10 },
    args: { skillId: t.arg.globalID({ required: true, for: SkillRef, description: 'Which skill.' }) },
    resolve: (_root, { skillId }, ctx) => resolvers.skillAgreement(skillId.id, ctx),
  }),
);
