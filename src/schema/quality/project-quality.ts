import * as resolvers from '../../resolvers/quality.js';
import type {
  DimensionQuality,
  FormQuality,
  ProjectQuality,
  TaskClass,
} from '../../services/quality/reads/project-quality.js';
import { builder } from '../builder.js';
import { ProjectRef, TaskRef } from '../refs.js';
import { ChanceCorrectedRef } from './chance-corrected.js';
import { JudgingMethodEnum, JudgingMethodRef } from './judging-method.js';

const DimensionQualityRef = builder.objectRef<DimensionQuality>('DimensionQuality').implement({
  description: 'How well answers agree in one dimension.',
  fields: (t) => ({
    dimension: t.exposeString('dimension', { description: 'Which dimension of the task type.' }),
    scale: t.exposeString('scale', { description: 'What it is measured on: NOMINAL, ORDINAL or INTERVAL.' }),
    tasks: t.exposeInt('tasks', { description: 'Finished tasks with two answers or more.' }),
    alpha: t.exposeFloat('alpha', {
      nullable: true,
      description:
        'Krippendorff’s alpha: 1 where all agree, 0 at chance. Low agreement is not low accuracy: read it beside how sure results are.',
    }),
    chanceCorrected: t.field({
      type: ChanceCorrectedRef,
      description: 'Fleiss’ kappa and Gwet’s AC1.',
      resolve: (dimension) => dimension,
    }),
    stated: t.exposeFloat('stated', {
      nullable: true,
      description:
        'How sure the results of the latest finished tasks are, on average: the probability of the most probable answer, adjudications included, as it turned out on the project’s gold. Null where none is finished.',
    }),
    isCalibrated: t.exposeBoolean('isCalibrated', {
      description:
        'Whether `stated` was held to truths that were not chosen by how sure results were, of fifty drawn tasks or fifty that were given at least; see `methods`. False: UNCALIBRATED, and on hard tasks it is too high.',
    }),
    statedTasks: t.exposeInt('statedTasks', {
      description:
        'The tasks that `stated` is the mean over: the latest finished ones, decided by a rule or not; at most 500, of numbers 50.',
    }),
  }),
});

const FormQualityRef = builder.objectRef<FormQuality>('FormQuality').implement({
  description: 'Answers by the client and form that they were given on.',
  fields: (t) => ({
    clientVersion: t.exposeString('clientVersion', { nullable: true, description: 'The client.' }),
    formVariant: t.exposeString('formVariant', { nullable: true, description: 'The variant of the form.' }),
    answers: t.exposeInt('answers', { description: 'How many, of the latest 20,000 that say so.' }),
    medianSeconds: t.exposeFloat('medianSeconds', { description: 'From claim to submit.' }),
    agreed: t.exposeFloat('agreed', {
      nullable: true,
      description: 'Mean share of a task’s other answers that say the same; null where no task has others.',
    }),
    compared: t.exposeInt('compared', { description: 'Answers that `agreed` rests on.' }),
    accuracyOnGold: t.exposeFloat('accuracyOnGold', {
      nullable: true,
      description:
        'The share of answers on gold that are right; null to customers, and where there are none.',
    }),
    goldAnswers: t.exposeInt('goldAnswers', {
      description: 'Answers on gold that it rests on; 0 to customers.',
    }),
    experts: t.exposeInt('experts', { description: 'Who gave them.' }),
    agreedDifference: t.exposeFloat('agreedDifference', {
      nullable: true,
      description:
        '`agreed` on this form less on the others, of the same experts: the mean over those who answered on both. Whom the form was given to decides nothing of it. Null where there are none.',
    }),
    agreedError: t.exposeFloat('agreedError', {
      nullable: true,
      description: 'Its standard error; null with fewer than two experts.',
    }),
    agreedExperts: t.exposeInt('agreedExperts', { description: 'Experts that it rests on.' }),
    secondsRatio: t.exposeFloat('secondsRatio', {
      nullable: true,
      description:
        'How long answers take on this form over how long on the others, likewise: the geometric mean.',
    }),
    secondsError: t.exposeFloat('secondsError', {
      nullable: true,
      description: 'Its standard error; null with fewer than two experts.',
    }),
    secondsExperts: t.exposeInt('secondsExperts', { description: 'Experts that it rests on.' }),
  }),
});

const ProjectQualityRef = builder.objectRef<ProjectQuality>('ProjectQuality').implement({
  description: 'The quality of a project’s answers: how all of them agree, the rest by the latest.',
  fields: (t) => ({
    dimensions: t.field({
      type: [DimensionQualityRef],
      description: 'Each dimension that was answered.',
      resolve: ({ dimensions }) => [...dimensions],
    }),
    adjudicationsOpened: t.int({
      description: 'Tasks that went to a stronger expert.',
      resolve: ({ adjudications }) => adjudications.opened,
    }),
    adjudicationsDone: t.int({
      description: 'Of these, how many were decided.',
      resolve: ({ adjudications }) => adjudications.done,
    }),
    newcomersAlone: t.float({
      nullable: true,
      description:
        'The share of the latest finished tasks (at most 500) of whose answers none is by an expert who has proven themselves in the skill, as they stand now, and that no stronger expert decided. Without a redundancy policy such results are final; with one they go on. Null where none is finished.',
      resolve: ({ newcomers: { tasks, alone } }) => (tasks === 0 ? null : alone / tasks),
    }),
    methods: t.field({
      type: [JudgingMethodRef],
      description: 'By what each dimension of the task type is judged, and on what evidence.',
      resolve: ({ methods }) => [...methods],
    }),
    forms: t.field({
      type: [FormQualityRef],
      description: 'By client and form; at most 100.',
      resolve: ({ forms }) => [...forms],
    }),
  }),
});

/** Reads thousands of rows. */
const COST = 200;

builder.queryField('projectQuality', (t) =>
  t.field({
    type: ProjectQualityRef,
    nullable: true,
    description: 'How well the answers of a project agree, and on which forms they were given.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    complexity: { field: COST, multiplier: 1 },
    args: { projectId: t.arg.globalID({ required: true, for: ProjectRef, description: 'Which project.' }) },
    resolve: (_root, { projectId }, ctx) => resolvers.projectQuality(projectId.id, ctx),
  }),
);

const TaskClassRef = builder.objectRef<TaskClass>('TaskClass').implement({
  description: 'A class that was named in a dimension of a task, or what its answers say of a number.',
  fields: (t) => ({
    dimension: t.exposeString('dimension', { description: 'Which dimension.' }),
    label: t.exposeString('label', { description: 'The class; of a number, the number.' }),
    probability: t.exposeFloat('probability', {
      description:
        'That it is right, by all answers and what is known of those who gave them, as it turned out on the project’s gold; of a number, that the truth is within the tolerance of it.',
    }),
    method: t.field({
      type: JudgingMethodEnum,
      description: 'By what it was judged.',
      resolve: ({ method }) => method,
    }),
    version: t.exposeInt('version', {
      nullable: true,
      description: 'By which version of the method: see `judgingMethods`; null before any was made.',
    }),
    isCalibrated: t.exposeBoolean('isCalibrated', {
      description:
        'Whether the probability was held to truths that were not chosen by how sure results were, of fifty drawn tasks or fifty that were given at least; see `judgingMethods`. False: it is the method’s own word.',
    }),
    votes: t.exposeInt('votes', {
      description:
        'Answers that say so, an adjudication’s among them; of a number, those within the tolerance.',
    }),
    number: t.exposeFloat('number', {
      nullable: true,
      description: 'The likeliest number; null of a class.',
    }),
    tolerance: t.exposeFloat('tolerance', {
      nullable: true,
      description: 'How far apart numbers may be that say the same.',
    }),
    deviation: t.exposeFloat('deviation', {
      nullable: true,
      description:
        'How far from the number the truth is, by all answers: the root of the mean square. Null of a class.',
    }),
  }),
});

builder.queryField('taskConsensus', (t) =>
  t.field({
    type: [TaskClassRef],
    nullable: true,
    description:
      'What the answers of a task amount to now: the most probable class of each dimension first, and each number; null where there is no such task.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    complexity: { field: 10, multiplier: 5 },
    args: { taskId: t.arg.globalID({ required: true, for: TaskRef, description: 'Which task.' }) },
    resolve: (_root, { taskId }, ctx) => resolvers.taskConsensus(taskId.id, ctx),
  }),
);
