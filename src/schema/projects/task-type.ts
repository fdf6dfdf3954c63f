import { pageOf } from '../../resolvers/paging.js';
import { createTaskType } from '../../resolvers/project-mutations.js';
import * as resolvers from '../../resolvers/projects.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { TaskTypeInvalidError } from '../../services/tasks/answer-errors.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { refusalWithIssues } from '../platform/domain-error.js';
import { CustomerRef, TaskTypeRef } from '../refs.js';

const TaskTypeKindEnum = builder.enumType('TaskTypeKind', {
  description: 'What kind of answer a task asks for.',
  values: {
    SINGLE_CHOICE: { description: 'One of several options.' },
    PAIRWISE: { description: 'Which of two is better, or a tie.' },
    RUBRIC: { description: 'A score for each of several criteria.' },
    FREE_FORM: { description: 'Anything that a JSON Schema describes.' },
  } as const,
});

TaskTypeRef.implement({
  description:
    'A form of answers: never changed once made; a new version of the same name is a new task type.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name; with `version` unique for its owner.' }),
    version: t.exposeInt('version', { description: 'Counts from 1 with each task type of this name.' }),
    kind: t.field({
      type: TaskTypeKindEnum,
      description: 'What kind of answer.',
      resolve: ({ kind }) => kind as typeof TaskTypeKindEnum.$inferType,
    }),
    instructions: t.exposeString('instructions', { description: 'Shown beside each task. Markdown.' }),
    definition: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What was asked for: options, criteria, or a schema.',
      resolve: ({ definition }) => JSON.parse(definition) as unknown,
    }),
    answerSchema: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The JSON Schema that every answer is held against.',
      resolve: ({ answerSchema }) => JSON.parse(answerSchema) as unknown,
    }),
    dimensions: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The values in an answer that answers are compared by.',
      resolve: ({ dimensions }) => JSON.parse(dimensions) as unknown,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: (row) => row.createdAt,
    }),
  }),
});

const TaskTypeConnection = connectionOf(TaskTypeRef, 'task types');

builder.queryField('taskTypes', (t) =>
  t.field({
    type: TaskTypeConnection,
    description: 'Task types that you may use, oldest first: your own and those offered to everybody.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, ctx) =>
      pageOf(args, { ctx, type: 'TaskType' }, (p) => resolvers.taskTypes(p, ctx)),
  }),
);

refusalWithIssues(TaskTypeInvalidError, 'The definition of the task type cannot be used.');

export const CreateTaskTypeInput = builder.inputType('CreateTaskTypeInput', {
  description: 'What `createTaskType` needs.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: '1 to 200 characters; the same name again makes the next version.',
    }),
    definition: t.field({
      type: 'JSON',
      required: true,
      description:
        'One of {"kind":"SINGLE_CHOICE","options":[{"value","label"}]}, {"kind":"PAIRWISE"}, {"kind":"RUBRIC","criteria":[…]}, {"kind":"FREE_FORM","schema":{…}}; see the documentation.',
    }),
    instructions: t.string({ required: false, description: 'Shown beside each task. Markdown.' }),
    customerId: t.globalID({
      required: false,
      for: CustomerRef,
      description:
        'Operators only: whose it is (default: offered to every customer). A customer’s are always its own.',
    }),
  }),
});

const CreateTaskTypePayload = builder.objectRef<{ taskTypeId: bigint }>('CreateTaskTypePayload').implement({
  description: 'What `createTaskType` did.',
  fields: (t) => ({
    taskType: t.field({
      type: TaskTypeRef,
      nullable: true,
      description: 'The new task type.',
      resolve: ({ taskTypeId }, _args, { load }) => load.taskType.load(taskTypeId),
    }),
  }),
});

builder.mutationField('createTaskType', (t) =>
  t.field({
    type: CreateTaskTypePayload,
    nullable: true,
    description: 'Makes a task type, or the next version of one.',
    authScopes: { role: ['CUSTOMER', 'OPERATOR'] },
    errors: { types: [TaskTypeInvalidError, InputInvalidError, NotFoundError] },
    args: { input: t.arg({ type: CreateTaskTypeInput, required: true, description: 'The task type.' }) },
    resolve: (_root, { input }, ctx) => createTaskType(input, ctx),
  }),
);
