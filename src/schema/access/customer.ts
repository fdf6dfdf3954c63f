import * as resolvers from '../../resolvers/access.js';
import { pageOf } from '../../resolvers/paging.js';
import { InputInvalidError, NameTakenError } from '../../services/access/errors.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { CustomerRef } from '../refs.js';

CustomerRef.implement({
  description: 'A party inside the tenant that owns projects. A CUSTOMER sees only itself.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Unique inside the tenant.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was added.', resolve: (c) => c.createdAt }),
  }),
});

const CustomerConnection = connectionOf(CustomerRef, 'customers');

builder.queryField('customers', (t) =>
  t.field({
    type: CustomerConnection,
    description: 'The tenant’s customers, oldest first.',
    authScopes: { role: ['OPERATOR', 'ANALYST'] },
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, ctx) =>
      pageOf(args, { ctx, type: 'Customer' }, (p) => resolvers.customers(p, ctx)),
  }),
);

export const CreateCustomerInput = builder.inputType('CreateCustomerInput', {
  description: 'What `createCustomer` needs.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Unique inside the tenant; 1 to 200 characters.' }),
    subject: t.string({
      required: false,
      description:
        'The subject of the access tokens that act for this customer; without it nobody can yet. It acts for one customer of the tenant.',
    }),
    displayName: t.string({
      required: false,
      description: 'How whoever acts for it is called; by default as the customer is.',
    }),
    mayHaveOtherRoles: t.boolean({
      required: false,
      description:
        'Whether whoever that is may act in another role of the tenant already; otherwise it is refused. Who acts in two roles can read in one what the other must not know.',
    }),
  }),
});

const CreateCustomerPayload = builder.objectRef<{ customerId: bigint }>('CreateCustomerPayload').implement({
  description: 'What `createCustomer` did.',
  fields: (t) => ({
    customer: t.field({
      type: CustomerRef,
      nullable: true,
      description: 'The new customer.',
      resolve: ({ customerId }, _args, { load }) => load.customer.load(customerId),
    }),
  }),
});

builder.mutationField('createCustomer', (t) =>
  t.field({
    type: CreateCustomerPayload,
    nullable: true,
    description:
      'Adds a customer to the tenant, and who acts for it: tokens come from the issuer that this server trusts.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NameTakenError, InputInvalidError] },
    args: { input: t.arg({ type: CreateCustomerInput, required: true, description: 'The new customer.' }) },
    resolve: (_root, { input }, ctx) => resolvers.createCustomer(input, ctx),
  }),
);
