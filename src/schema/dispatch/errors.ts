import {
  CheckInLockedError,
  JobStateError,
  NotAWorkerError,
  OfferExpiredError,
  OfferGoneError,
  OwnJobError,
  WorkerBusyError,
  WrongCodeError,
} from '../../services/dispatch/errors.js';
import { builder } from '../builder.js';
import { DomainErrorRef, plainRefusal } from '../platform/domain-error.js';

plainRefusal(OfferExpiredError, 'The offer’s time was up before the answer came; somebody else is asked.');
plainRefusal(OfferGoneError, 'The offer was answered otherwise, or was taken back.');
plainRefusal(CheckInLockedError, 'Five wrong codes were given: only who dispatches can go on.');
plainRefusal(WorkerBusyError, 'The worker is elsewhere at the time of the job.');
plainRefusal(NotAWorkerError, 'The expert is no active worker.');
plainRefusal(OwnJobError, 'Whoever dispatches may not send themselves.');

builder.objectType(JobStateError, {
  name: 'JobStateError',
  description: 'What was asked for cannot be done in the state that the job is in.',
  interfaces: [DomainErrorRef],
  fields: (t) => ({
    state: t.exposeString('state', { description: 'The state that it is in.' }),
  }),
});

builder.objectType(WrongCodeError, {
  name: 'WrongCodeError',
  description: 'The code is not the one that the customer has.',
  interfaces: [DomainErrorRef],
  fields: (t) => ({
    triesLeft: t.exposeInt('triesLeft', { description: 'How many more codes may be tried.' }),
  }),
});
