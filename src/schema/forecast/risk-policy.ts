import * as resolvers from '../../resolvers/forecast.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import type { ShownPolicy } from '../../services/forecast/policy.js';
import { builder } from '../builder.js';
import { ProjectRef } from '../refs.js';

const RiskPolicyRef = builder.objectRef<ShownPolicy>('RiskPolicy').implement({
  description: 'From which chance on a deadline of a project is at risk, and what follows.',
  fields: (t) => ({
    threshold: t.exposeFloat('threshold', {
      description:
        'A batch is at risk once its chance is below this, until it is above half of the way from here to 1.',
    }),
    lift: t.exposeFloat('lift', {
      nullable: true,
      description:
        'How many times its weight the project counts while a batch of it is at risk, at most 8; null: it is not lifted for that.',
    }),
    liftedSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when it is lifted for a deadline at risk; null: it is not.',
      resolve: ({ liftedSince }) => liftedSince,
    }),
  }),
});

builder.objectField(ProjectRef, 'riskPolicy', (t) =>
  t.field({
    type: RiskPolicyRef,
    nullable: true,
    description: 'When its deadlines are at risk, and what follows. See `setRiskPolicy`.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    complexity: 5,
    resolve: ({ id }, _args, { load }) => load.riskPolicy.load(id),
  }),
);

export const SetRiskPolicyInput = builder.inputType('SetRiskPolicyInput', {
  description: 'What `setRiskPolicy` changes; what is left out stays as it is.',
  fields: (t) => ({
    projectId: t.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
    threshold: t.float({
      required: false,
      description:
        'A batch is at risk while its chance is below this: .5 to .99; .8 where nobody said otherwise.',
    }),
    lift: t.float({
      required: false,
      description:
        'How many times its weight the project is to count while a batch of it is at risk: more than 1, at most 8; null: it is not lifted. For operators, for it is at the cost of the others.',
    }),
  }),
});

const SetRiskPolicyPayload = builder.objectRef<{ projectId: bigint }>('SetRiskPolicyPayload').implement({
  description: 'What `setRiskPolicy` did.',
  fields: (t) => ({
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'The project as it is now.',
      resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
    }),
  }),
});

builder.mutationField('setRiskPolicy', (t) =>
  t.field({
    type: SetRiskPolicyPayload,
    nullable: true,
    description:
      'Sets from which chance on the deadlines of a project are at risk, and whether that lifts its tasks. Each change is kept; it holds from the next forecast on, seconds later.',
    authScopes: { role: ['CUSTOMER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: SetRiskPolicyInput, required: true, description: 'The policy.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setRiskPolicy(input, ctx),
  }),
);
