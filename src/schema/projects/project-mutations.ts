import * as resolvers from '../../resolvers/project-mutations.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import {
  AlreadyStoppedError,
  IdempotencyConflictError,
  ProjectNotRunningError,
} from '../../services/projects/errors.js';
import { builder } from '../builder.js';
import { plainRefusal } from '../platform/domain-error.js';
import { MoneyInput } from '../platform/money.js';
import { CustomerRef, ProjectRef, SkillRef, TaskTypeRef } from '../refs.js';
import { CancelPolicyEnum } from './project.js';
import { FurtherSkillsInput } from './requirement.js';

plainRefusal(AlreadyStoppedError, 'The project was stopped already; there is nothing left to finish.');

const payload = (name: string, mutation: string) =>
  builder.objectRef<{ projectId: bigint }>(name).implement({
    description: `What \`${mutation}\` did.`,
    fields: (t) => ({
      project: t.field({
        type: ProjectRef,
        nullable: true,
        description: 'The project as it is now.',
        resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
      }),
    }),
  });

export const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'What `createProject` needs.',
  fields: (t) => ({
    name: t.string({ required: true, description: '1 to 200 characters.' }),
    customerId: t.globalID({
      required: false,
      for: CustomerRef,
      description: 'Whose it is: an operator must say, a customer’s are its own.',
    }),
    taskTypeId: t.globalID({ required: true, for: TaskTypeRef, description: 'What form an answer has.' }),
    skillId: t.globalID({
      required: true,
      for: SkillRef,
      description: 'What experts need to be able to do.',
    }),
    price: t.field({ type: MoneyInput, required: true, description: 'For one answer.' }),
    redundancy: t.int({
      required: false,
      description: 'Independent answers that a task wants, 1 to 100 (default 1).',
    }),
    minQuality: t.float({
      required: false,
      description: 'Proven quality that an expert needs, 0 to 1, at most two decimals (default 0).',
    }),
    furtherSkills: t.field({
      type: FurtherSkillsInput,
      required: false,
      description: 'Skills that experts need beside that one. What a project asks of experts never changes.',
    }),
    languages: t.stringList({
      required: false,
      description:
        'Languages (BCP 47, such as "de" or "pt-BR") that experts need, all of them, each exactly as the expert’s own; at most 20.',
    }),
    tags: t.stringList({
      required: false,
      description: 'Tags that experts need, all of them; at most 20 of 1 to 50 letters, digits and _ . : -',
    }),
    maxPerExpert: t.int({
      required: false,
      description: 'Tasks of the project that one expert may take (default: as many as there are).',
    }),
    weight: t.int({
      required: false,
      description:
        'Priority as a share of claims against the other projects that wait for the same skill with the same requirements, 1 to 1000 (default 10): twice the weight, twice the claims. Nothing is starved by it.',
    }),
    leaseSeconds: t.int({
      required: false,
      description: 'How long one lease is, 60 to 28800 (default 1800).',
    }),
    deadline: t.field({ type: 'DateTime', required: false, description: 'When it should be done.' }),
    idempotencyKey: t.id({
      required: true,
      description:
        'Of your making, 1 to 200 characters: the same key with the same content answers the first project again.',
    }),
  }),
});

builder.mutationField('createProject', (t) =>
  t.field({
    type: payload('CreateProjectPayload', 'createProject'),
    nullable: true,
    description: 'Creates a running project without tasks.',
    authScopes: { role: ['CUSTOMER', 'OPERATOR'] },
    errors: { types: [IdempotencyConflictError, InputInvalidError, NotFoundError] },
    args: { input: t.arg({ type: CreateProjectInput, required: true, description: 'The project.' }) },
    resolve: (_root, { input }, ctx) => resolvers.createProject(input, ctx),
  }),
);

export const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
  description: 'What `updateProject` changes; what is left out stays as it is.',
  fields: (t) => ({
    projectId: t.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
    name: t.string({ required: false, description: '1 to 200 characters.' }),
    deadline: t.field({
      type: 'DateTime',
      required: false,
      description: 'When it should be done; null: no deadline any more.',
    }),
    weight: t.int({
      required: false,
      description:
        'Priority as a share, 1 to 1000. A greater one holds within minutes for what waits, too; a smaller one for tasks that are added from now on.',
    }),
  }),
});

builder.mutationField('updateProject', (t) =>
  t.field({
    type: payload('UpdateProjectPayload', 'updateProject'),
    nullable: true,
    description:
      'Changes the name, deadline or weight of a project. Skills, quality, languages and tags that it asks for cannot be changed: make another project for other experts.',
    authScopes: { role: ['CUSTOMER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError, ProjectNotRunningError] },
    args: { input: t.arg({ type: UpdateProjectInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input }, ctx) => resolvers.updateProject(input, ctx),
  }),
);

export const CancelProjectInput = builder.inputType('CancelProjectInput', {
  description: 'What `cancelProject` needs.',
  fields: (t) => ({
    projectId: t.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
    policy: t.field({ type: CancelPolicyEnum, required: true, description: 'What becomes of work in hand.' }),
  }),
});

builder.mutationField('cancelProject', (t) =>
  t.field({
    type: payload('CancelProjectPayload', 'cancelProject'),
    nullable: true,
    description: 'Cancels a project for good: nothing of it is claimed any more; what was submitted is paid.',
    authScopes: { role: ['CUSTOMER', 'OPERATOR'] },
    errors: { types: [NotFoundError, AlreadyStoppedError] },
    args: {
      input: t.arg({ type: CancelProjectInput, required: true, description: 'What to cancel, and how.' }),
    },
    resolve: (_root, { input }, ctx) => resolvers.cancelProject(input, ctx),
  }),
);

export const SetLeaseInput = builder.inputType('SetLeaseInput', {
  description: 'What `setLease` needs.',
  fields: (t) => ({
    projectId: t.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
    leaseSeconds: t.int({ required: true, description: 'How long one lease is, 60 to 28800.' }),
  }),
});

builder.mutationField('setLease', (t) =>
  t.field({
    type: payload('SetLeasePayload', 'setLease'),
    nullable: true,
    description: 'Sets how long later claims of a project may be held; leases that are held keep theirs.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: SetLeaseInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setLease(input, ctx),
  }),
);
