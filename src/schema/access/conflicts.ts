import * as resolvers from '../../resolvers/qualification.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { builder } from '../builder.js';
import { CustomerRef, ExpertRef } from '../refs.js';
import { expertPayload } from './expert-payload.js';

export const AddConflictInput = builder.inputType('AddConflictInput', {
  description: 'What `addConflict` needs.',
  fields: (t) => ({
    expertId: t.globalID({ required: true, for: ExpertRef, description: 'Who.' }),
    customerId: t.globalID({
      required: true,
      for: CustomerRef,
      description: 'Whose work they must not see.',
    }),
    reason: t.string({ required: true, description: 'Why; 1 to 500 characters, for operators only.' }),
  }),
});

builder.mutationField('addConflict', (t) =>
  t.field({
    type: expertPayload('AddConflictPayload', 'addConflict'),
    nullable: true,
    description:
      'Keeps an expert from all work of a customer (conflict of interest): no claim that follows gives them any. What they hold stays theirs. Again: the new reason.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: AddConflictInput, required: true, description: 'The conflict.' }) },
    resolve: (_root, { input }, ctx) => resolvers.addConflict(input, ctx),
  }),
);

export const RemoveConflictInput = builder.inputType('RemoveConflictInput', {
  description: 'What `removeConflict` needs.',
  fields: (t) => ({
    expertId: t.globalID({ required: true, for: ExpertRef, description: 'Who.' }),
    customerId: t.globalID({
      required: true,
      for: CustomerRef,
      description: 'Whose work they may see again.',
    }),
  }),
});

builder.mutationField('removeConflict', (t) =>
  t.field({
    type: expertPayload('RemoveConflictPayload', 'removeConflict'),
    nullable: true,
    description: 'Takes a conflict of interest back. Where there is none, nothing is done.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError] },
    args: { input: t.arg({ type: RemoveConflictInput, required: true, description: 'The conflict.' }) },
    resolve: (_root, { input }, ctx) => resolvers.removeConflict(input, ctx),
  }),
);
