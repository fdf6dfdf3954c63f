import * as resolvers from '../../resolvers/dispatch.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import {
  JobStateError,
  NotAWorkerError,
  OwnJobError,
  WorkerBusyError,
} from '../../services/dispatch/errors.js';
import { IdempotencyConflictError } from '../../services/projects/errors.js';
import { builder } from '../builder.js';
import { CustomerRef, ExpertRef, JobRef, SkillRef } from '../refs.js';
import { JobKindEnum } from './job.js';
import { jobPayload } from './job-payload.js';
import { PlaceInput } from './place.js';

export const CreateJobInput = builder.inputType('CreateJobInput', {
  description: 'What `createJob` needs.',
  fields: (t) => ({
    customerId: t.globalID({
      required: false,
      for: CustomerRef,
      description: 'Whose it is: staff must say, a customer’s are its own.',
    }),
    kind: t.field({ type: JobKindEnum, required: true, description: 'When somebody is wanted.' }),
    type: t.string({ required: true, description: 'What sort of work, 1 to 200 characters.' }),
    skillIds: t.globalIDList({
      required: true,
      for: [SkillRef],
      description: 'What who comes has to be able to do, all of it; at most 20.',
    }),
    minQuality: t.float({
      required: false,
      description: 'Proven quality that is asked for in each skill, 0 to 1 (default 0).',
    }),
    place: t.field({ type: PlaceInput, required: true, description: 'Where it is.' }),
    notBefore: t.field({
      type: 'DateTime',
      required: false,
      description: 'When it may begin (default: now); a scheduled job must say.',
    }),
    dueBy: t.field({ type: 'DateTime', required: true, description: 'By when somebody is to be there.' }),
    durationSeconds: t.int({ required: true, description: 'How long it takes, 60 to 86400.' }),
    priority: t.int({
      required: false,
      description: '1 to 10 (default 5): how much an early arrival weighs, and what may be preempted.',
    }),
    idempotencyKey: t.id({
      required: true,
      description:
        'Of your making, 1 to 200 characters: the same key with the same content answers the first job again.',
    }),
  }),
});

builder.mutationField('createJob', (t) =>
  t.field({
    type: jobPayload('CreateJobPayload', 'createJob'),
    nullable: true,
    description:
      'Creates a job. One for now is offered to somebody at once where that can be done, and says UNASSIGNED_ALERT where it cannot.',
    authScopes: { role: ['CUSTOMER', 'DISPATCHER', 'OPERATOR'] },
    errors: { types: [IdempotencyConflictError, InputInvalidError, NotFoundError] },
    args: { input: t.arg({ type: CreateJobInput, required: true, description: 'The job.' }) },
    resolve: (_root, { input }, ctx) => resolvers.createJob(input, ctx),
  }),
);

export const AssignJobInput = builder.inputType('AssignJobInput', {
  description: 'What `assignJob` needs.',
  fields: (t) => ({
    jobId: t.globalID({ required: true, for: JobRef, description: 'Which job.' }),
  }),
});

builder.mutationField('assignJob', (t) =>
  t.field({
    type: jobPayload('AssignJobPayload', 'assignJob'),
    nullable: true,
    description:
      'Looks for somebody now. A job that has an offer keeps it; where nobody can go, `job.reason` says what keeps whom from it.',
    authScopes: { role: ['DISPATCHER', 'OPERATOR'] },
    errors: { types: [NotFoundError, JobStateError] },
    args: { input: t.arg({ type: AssignJobInput, required: true, description: 'Which job.' }) },
    resolve: (_root, { input }, ctx) => resolvers.assignJob(input, ctx),
  }),
);

export const CancelJobInput = builder.inputType('CancelJobInput', {
  description: 'What `cancelJob` needs.',
  fields: (t) => ({
    jobId: t.globalID({ required: true, for: JobRef, description: 'Which job.' }),
    reason: t.string({ required: true, description: 'Why, 1 to 500 characters.' }),
  }),
});

builder.mutationField('cancelJob', (t) =>
  t.field({
    type: jobPayload('CancelJobPayload', 'cancelJob'),
    nullable: true,
    description: 'Cancels a job that is not done, for good, and takes its offer back.',
    authScopes: { role: ['CUSTOMER', 'DISPATCHER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError, JobStateError] },
    args: { input: t.arg({ type: CancelJobInput, required: true, description: 'What to cancel.' }) },
    resolve: (_root, { input }, ctx) => resolvers.cancelJob(input, ctx),
  }),
);

export const ReassignJobInput = builder.inputType('ReassignJobInput', {
  description: 'What `reassignJob` needs.',
  fields: (t) => ({
    jobId: t.globalID({ required: true, for: JobRef, description: 'Which job.' }),
    reason: t.string({ required: true, description: 'Why, 1 to 500 characters.' }),
  }),
});

builder.mutationField('reassignJob', (t) =>
  t.field({
    type: jobPayload('ReassignJobPayload', 'reassignJob'),
    nullable: true,
    description:
      'Takes an accepted job from its worker; somebody else is asked at once, and they not for some time.',
    authScopes: { role: ['DISPATCHER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError, JobStateError] },
    args: { input: t.arg({ type: ReassignJobInput, required: true, description: 'What to reassign.' }) },
    resolve: (_root, { input }, ctx) => resolvers.reassignJob(input, ctx),
  }),
);

export const OverrideAssignmentInput = builder.inputType('OverrideAssignmentInput', {
  description: 'What `overrideAssignment` needs.',
  fields: (t) => ({
    jobId: t.globalID({ required: true, for: JobRef, description: 'Which job.' }),
    workerId: t.globalID({ required: true, for: ExpertRef, description: 'Who is sent there.' }),
    reason: t.string({ required: true, description: 'Why, 1 to 500 characters.' }),
    preempt: t.boolean({
      required: false,
      description:
        'Take from them jobs of lower priority that they have at that time and are not at yet; those are assigned anew.',
    }),
  }),
});

builder.mutationField('overrideAssignment', (t) =>
  t.field({
    type: jobPayload('OverrideAssignmentPayload', 'overrideAssignment'),
    nullable: true,
    description:
      'Gives a job to a worker as accepted, with your name and reason. Filters do not count; that nobody is in two places does.',
    authScopes: { role: ['DISPATCHER', 'OPERATOR'] },
    errors: {
      types: [NotFoundError, InputInvalidError, JobStateError, NotAWorkerError, OwnJobError, WorkerBusyError],
    },
    args: { input: t.arg({ type: OverrideAssignmentInput, required: true, description: 'Who goes where.' }) },
    resolve: (_root, { input }, ctx) => resolvers.overrideAssignment(input, ctx),
  }),
);
