import * as resolvers from '../../resolvers/dispatch.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import {
  CheckInLockedError,
  JobStateError,
  OfferExpiredError,
  OfferGoneError,
  WrongCodeError,
} from '../../services/dispatch/errors.js';
import { builder } from '../builder.js';
import { JobRef, OfferRef } from '../refs.js';
import { jobPayload } from './job-payload.js';

export const AcceptOfferInput = builder.inputType('AcceptOfferInput', {
  description: 'What `acceptOffer` needs.',
  fields: (t) => ({
    offerId: t.globalID({ required: true, for: OfferRef, description: 'Which offer.' }),
  }),
});

builder.mutationField('acceptOffer', (t) =>
  t.field({
    type: jobPayload('AcceptOfferPayload', 'acceptOffer'),
    nullable: true,
    description: 'Accepts an offer that stands, by the clock of the database. Again changes nothing.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: [NotFoundError, OfferExpiredError, OfferGoneError] },
    args: { input: t.arg({ type: AcceptOfferInput, required: true, description: 'Which offer.' }) },
    resolve: (_root, { input }, ctx) => resolvers.acceptOffer(input, ctx),
  }),
);

export const DeclineOfferInput = builder.inputType('DeclineOfferInput', {
  description: 'What `declineOffer` needs.',
  fields: (t) => ({
    offerId: t.globalID({ required: true, for: OfferRef, description: 'Which offer.' }),
  }),
});

builder.mutationField('declineOffer', (t) =>
  t.field({
    type: jobPayload('DeclineOfferPayload', 'declineOffer'),
    nullable: true,
    description: 'Declines an offer: somebody else is asked, and you not for that job for some time.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: [NotFoundError, OfferExpiredError, OfferGoneError] },
    args: { input: t.arg({ type: DeclineOfferInput, required: true, description: 'Which offer.' }) },
    resolve: (_root, { input }, ctx) => resolvers.declineOffer(input, ctx),
  }),
);

export const CheckInInput = builder.inputType('CheckInInput', {
  description: 'What `checkIn` needs.',
  fields: (t) => ({
    jobId: t.globalID({ required: true, for: JobRef, description: 'Which job.' }),
    code: t.string({ required: true, description: 'The six digits that the customer has.' }),
  }),
});

builder.mutationField('checkIn', (t) =>
  t.field({
    type: jobPayload('CheckInPayload', 'checkIn'),
    nullable: true,
    description: 'Proves that you are at a job that you have accepted. Again changes nothing.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: [InputInvalidError, NotFoundError, JobStateError, WrongCodeError, CheckInLockedError] },
    args: { input: t.arg({ type: CheckInInput, required: true, description: 'Where you are.' }) },
    resolve: (_root, { input }, ctx) => resolvers.checkIn(input, ctx),
  }),
);

const ProofInput = builder.inputType('ProofInput', {
  description: 'What proves that work was done, such as a photo or a signature.',
  fields: (t) => ({
    contentType: t.string({ required: true, description: 'Its media type, such as image/jpeg.' }),
    contentBase64: t.string({
      required: true,
      description: 'Its bytes in base64, at most 262144 before that.',
    }),
  }),
});

export const CompleteJobInput = builder.inputType('CompleteJobInput', {
  description: 'What `completeJob` needs.',
  fields: (t) => ({
    jobId: t.globalID({ required: true, for: JobRef, description: 'Which job.' }),
    proofs: t.field({
      type: [ProofInput],
      required: true,
      description: 'What proves that it was done, 1 to 5.',
    }),
  }),
});

builder.mutationField('completeJob', (t) =>
  t.field({
    type: jobPayload('CompleteJobPayload', 'completeJob'),
    nullable: true,
    description: 'Ends a job that you are at, with what proves that it was done. Again changes nothing.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: [NotFoundError, JobStateError, InputInvalidError] },
    args: { input: t.arg({ type: CompleteJobInput, required: true, description: 'What was done.' }) },
    resolve: (_root, { input }, ctx) => resolvers.completeJob(input, ctx),
  }),
);
