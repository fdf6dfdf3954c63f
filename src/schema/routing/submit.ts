import * as resolvers from '../../resolvers/routing.js';
import type { ClaimResult } from '../../services/routing/claim.js';
import type { Receipt } from '../../services/routing/submit.js';
import { AnswerInvalidError } from '../../services/tasks/answer-errors.js';
import { builder } from '../builder.js';
import { MoneyRef } from '../platform/money.js';
import { AssignmentRef, SkillRef } from '../refs.js';
import { ClaimTaskPayloadRef } from './claim.js';
import { leaseRefusals } from './errors.js';

const ReceiptRef = builder.objectRef<Receipt>('Receipt').implement({
  description: 'Proof that an answer was stored: the same one every time, with no later state in it.',
  fields: (t) => ({
    assignmentId: t.id({
      description: 'What was answered.',
      resolve: ({ assignmentId }, _args, { app }) => app.ids.encode('Assignment', assignmentId),
    }),
    digest: t.exposeString('digest', {
      description: 'SHA-256 of the answer’s canonical form (RFC 8785), in hex.',
    }),
    submittedAt: t.field({
      type: 'DateTime',
      description: 'When it was stored.',
      resolve: (r) => r.submittedAt,
    }),
    price: t.field({
      type: MoneyRef,
      description: 'What it earned.',
      resolve: ({ priceMinor, currency }) => ({ minor: priceMinor, currency }),
    }),
  }),
});

const SubmitPayload = builder
  .objectRef<{ receipt: Receipt; next: ClaimResult | null }>('SubmitPayload')
  .implement({
    description: 'The answer was stored and paid for.',
    fields: (t) => ({
      receipt: t.field({ type: ReceiptRef, description: 'The receipt.', resolve: ({ receipt }) => receipt }),
      next: t.field({
        type: ClaimTaskPayloadRef,
        nullable: true,
        description:
          'With `claimNext`: the next task, or why there is none; null where the server has no room for it just now: claim by yourself.',
        resolve: ({ next }) => next,
      }),
    }),
  });

export const SubmitInput = builder.inputType('SubmitInput', {
  description: 'What `submit` needs.',
  fields: (t) => ({
    assignmentId: t.globalID({ required: true, for: AssignmentRef, description: 'What you hold.' }),
    leaseEpoch: t.int({ required: true, description: 'The epoch of its lease.' }),
    answer: t.field({
      type: 'JSON',
      required: true,
      description: 'In the form of the task type; at most 64 KiB.',
    }),
    confidence: t.float({ required: false, description: 'How sure you are, 0 to 1.' }),
    clientVersion: t.string({
      required: false,
      description:
        'Which client you are, 1 to 100 letters, digits and _ . : + -; kept, so that a change of interface can be judged.',
    }),
    formVariant: t.string({
      required: false,
      description: 'Which variant of the form was shown; kept like the client’s version.',
    }),
    claimNext: t.boolean({ required: false, description: 'Take the next task with the same call.' }),
    nextSkillId: t.globalID({
      required: false,
      for: SkillRef,
      description: 'With `claimNext`: only work of this skill.',
    }),
  }),
});

builder.mutationField('submit', (t) =>
  t.field({
    type: SubmitPayload,
    nullable: true,
    description:
      'Stores the answer of a live lease and pays for it. The same answer again gets the same receipt; a late one is kept as a draft.',
    authScopes: { role: ['EXPERT'] },
    errors: { types: [...leaseRefusals, AnswerInvalidError] },
    args: { input: t.arg({ type: SubmitInput, required: true, description: 'The answer.' }) },
    resolve: (_root, { input }, ctx) => resolvers.submit(input, ctx),
  }),
);
