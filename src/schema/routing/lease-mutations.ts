import * as resolvers from '../../resolvers/routing.js';
import { type AssignmentShape, shapeOfHeld } from '../../resolvers/shapes.js';
import { InputInvalidError } from '../../services/access/errors.js';
import {
  AlreadyFlaggedError,
  AlreadySubmittedError,
  AssignmentNotFoundError,
  HoldsAnotherError,
  NotQualifiedError,
  ProjectCancelledError,
  SlotTakenError,
} from '../../services/routing/errors.js';
import type { HeldAssignment } from '../../services/routing/held.js';
import type { Lease } from '../../services/routing/lease.js';
import { DraftTooLargeError } from '../../services/tasks/answer-errors.js';
import { builder } from '../builder.js';
import { AssignmentRef } from '../refs.js';
import { leaseRefusals } from './errors.js';
import { LeaseRef } from './lease.js';

export const HeartbeatInput = builder.inputType('HeartbeatInput', {
  description: 'What `heartbeat` needs.',
  fields: (t) => ({
    assignmentId: t.globalID({ required: true, for: AssignmentRef, description: 'What you hold.' }),
    leaseEpoch: t.int({ required: true, description: 'The epoch of its lease.' }),
    lastActivitySeconds: t.int({
      required: true,
      description: 'Seconds since a person last did anything: past 600 the lease is not extended.',
    }),
    draft: t.field({
      type: 'JSON',
      required: false,
      description: 'What was typed so far, at most 64 KiB; kept even when the lease has just ended.',
    }),
  }),
});

const HeartbeatPayload = builder.objectRef<Lease>('HeartbeatPayload').implement({
  description: 'The lease as it is now.',
  fields: (t) => ({
    lease: t.field({ type: LeaseRef, description: 'The lease.', resolve: (lease) => lease }),
    extended: t.exposeBoolean('extended', {
      description:
        'False where it ends as it did: no activity, the last possible end reached, the project or you stopped.',
    }),
  }),
});

builder.mutationField('heartbeat', (t) =>
  t.field({
    type: HeartbeatPayload,
    nullable: true,
    description: 'Extends a live lease, up to four leases in all, and keeps the draft.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: [...leaseRefusals, DraftTooLargeError, InputInvalidError] },
    args: { input: t.arg({ type: HeartbeatInput, required: true, description: 'The beat.' }) },
    resolve: (_root, { input }, ctx) => resolvers.heartbeat(input, ctx),
  }),
);

export const ReclaimAssignmentInput = builder.inputType('ReclaimAssignmentInput', {
  description: 'What `reclaimAssignment` needs.',
  fields: (t) => ({
    assignmentId: t.globalID({ required: true, for: AssignmentRef, description: 'What you held.' }),
  }),
});

const ReclaimAssignmentPayload = builder.objectRef<HeldAssignment>('ReclaimAssignmentPayload').implement({
  description: 'The assignment under a live lease again, with its draft.',
  fields: (t) => ({
    assignment: t.field({ type: AssignmentRef, description: 'What you hold now.', resolve: shapeOfHeld }),
  }),
});

builder.mutationField('reclaimAssignment', (t) =>
  t.field({
    type: ReclaimAssignmentPayload,
    nullable: true,
    description:
      'Takes an expired assignment back at the next epoch, if its slot is still free. What you gave back yourself cannot be taken back.',
    authScopes: { role: ['EXPERT'] },
    errors: {
      types: [
        SlotTakenError,
        HoldsAnotherError,
        NotQualifiedError,
        ProjectCancelledError,
        AlreadySubmittedError,
        AlreadyFlaggedError,
        AssignmentNotFoundError,
      ],
    },
    args: { input: t.arg({ type: ReclaimAssignmentInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resolvers.reclaimAssignment(input, ctx),
  }),
);

export const ReleaseAssignmentInput = builder.inputType('ReleaseAssignmentInput', {
  description: 'What `releaseAssignment` needs.',
  fields: (t) => ({
    assignmentId: t.globalID({ required: true, for: AssignmentRef, description: 'What you hold.' }),
    leaseEpoch: t.int({ required: true, description: 'The epoch of its lease.' }),
  }),
});

const ReleaseAssignmentPayload = builder.objectRef<{ id: bigint }>('ReleaseAssignmentPayload').implement({
  description: 'The assignment was given back; its draft is kept.',
  fields: (t) => ({
    assignment: t.field({
      type: AssignmentRef,
      nullable: true,
      description: 'As it is now.',
      resolve: ({ id }, _args, { load }) => load.assignment.load(id) as Promise<AssignmentShape | null>,
    }),
  }),
});

builder.mutationField('releaseAssignment', (t) =>
  t.field({
    type: ReleaseAssignmentPayload,
    nullable: true,
    description: 'Gives a live assignment back. It is offered to you again only when nothing else is left.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: leaseRefusals },
    args: { input: t.arg({ type: ReleaseAssignmentInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resolvers.releaseAssignment(input, ctx),
  }),
);

const FlagReasonEnum = builder.enumType('FlagReason', {
  description: 'Why a task cannot be answered.',
  values: {
    UNREADABLE: { description: 'The payload cannot be opened or read.' },
    AMBIGUOUS: { description: 'More than one answer is right, and nothing says which is meant.' },
    MISSING_CONTEXT: { description: 'What would be needed to answer is not there.' },
    OFFENSIVE: { description: 'The payload should not be shown to anybody.' },
    OTHER: { description: 'Something else; say what in `note`.' },
  } as const,
});

export const FlagTaskInput = builder.inputType('FlagTaskInput', {
  description: 'What `flagTask` needs.',
  fields: (t) => ({
    assignmentId: t.globalID({ required: true, for: AssignmentRef, description: 'What you hold.' }),
    leaseEpoch: t.int({ required: true, description: 'The epoch of its lease.' }),
    reason: t.field({ type: FlagReasonEnum, required: true, description: 'Why it cannot be answered.' }),
    note: t.string({ required: false, description: 'In your words, at most 2,000 characters.' }),
  }),
});

const FlagTaskPayload = builder.objectRef<{ taskClosed: boolean }>('FlagTaskPayload').implement({
  description: 'The flag was kept.',
  fields: (t) => ({
    taskClosed: t.exposeBoolean('taskClosed', {
      description: 'Whether this flag closed the task; otherwise another expert looks at it.',
    }),
  }),
});

builder.mutationField('flagTask', (t) =>
  t.field({
    type: FlagTaskPayload,
    nullable: true,
    description:
      'Says that a task cannot be answered. When enough experts agree it is closed; nobody is paid for a flag.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: [...leaseRefusals, InputInvalidError] },
    args: { input: t.arg({ type: FlagTaskInput, required: true, description: 'The flag.' }) },
    resolve: (_root, { input }, ctx) => resolvers.flagTask(input, ctx),
  }),
);
