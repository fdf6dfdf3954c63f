import {
  AlreadyFlaggedError,
  AlreadySubmittedError,
  AssignmentNotFoundError,
  HoldsAnotherError,
  LeaseExpiredError,
  LeaseWithdrawnError,
  NotQualifiedError,
  ProjectCancelledError,
  SlotTakenError,
  StaleLeaseError,
} from '../../services/routing/errors.js';
import { AnswerInvalidError, DraftTooLargeError } from '../../services/tasks/answer-errors.js';
import { builder } from '../builder.js';
import { DomainErrorRef, plainRefusal, refusalWithIssues } from '../platform/domain-error.js';

builder.objectType(LeaseExpiredError, {
  name: 'LeaseExpiredError',
  description: 'The lease has ended. What was sent is kept as a draft.',
  interfaces: [DomainErrorRef],
  fields: (t) => ({
    reclaimable: t.exposeBoolean('reclaimable', {
      description: 'Whether `reclaimAssignment` could take the task back just now.',
    }),
  }),
});

builder.objectType(StaleLeaseError, {
  name: 'StaleLeaseError',
  description: 'The call names an earlier claim of this assignment than the one that is held now.',
  interfaces: [DomainErrorRef],
  fields: (t) => ({
    currentEpoch: t.exposeInt('currentEpoch', { description: 'The lease epoch of the present claim.' }),
  }),
});

builder.objectType(HoldsAnotherError, {
  name: 'HoldsAnotherError',
  description: 'You hold another task, and may hold only one.',
  interfaces: [DomainErrorRef],
  fields: (t) => ({
    heldAssignmentId: t.id({
      description: 'The assignment that you hold.',
      resolve: ({ heldAssignmentId }, _args, { app }) => app.ids.encode('Assignment', heldAssignmentId),
    }),
  }),
});

plainRefusal(AssignmentNotFoundError, 'There is no such assignment of yours.');
plainRefusal(ProjectCancelledError, 'The project was cancelled.');
plainRefusal(LeaseWithdrawnError, 'The task was withdrawn from you by an operator.');
plainRefusal(AlreadySubmittedError, 'The assignment has an answer already, and it was another one.');
plainRefusal(AlreadyFlaggedError, 'You have said that this task cannot be answered.');
plainRefusal(SlotTakenError, 'You gave the task back, or it was given to somebody else, or is done.');
plainRefusal(
  NotQualifiedError,
  'You may not work on this project just now: paused, not qualified, a conflict of interest, or all that one expert may have of it.',
);
plainRefusal(DraftTooLargeError, 'The draft is too large or too deep; the last smaller one is kept.');
refusalWithIssues(AnswerInvalidError, 'The answer does not fit its task type.');

/** Every refusal that an epoch or a lease can meet. */
export const leaseRefusals = [
  LeaseExpiredError,
  StaleLeaseError,
  LeaseWithdrawnError,
  ProjectCancelledError,
  AlreadySubmittedError,
  AlreadyFlaggedError,
  AssignmentNotFoundError,
];
