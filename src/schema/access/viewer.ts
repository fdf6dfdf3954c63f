import type { Viewer } from '../../services/access/viewer.js';
import { builder } from '../builder.js';
import { CustomerRef, ExpertRef, IdentityRef } from '../refs.js';

export const RoleEnum = builder.enumType('Role', {
  description: 'What a token acts as: exactly one of these.',
  values: {
    EXPERT: { description: 'Does the work: claims tasks, submits answers, is paid.' },
    CUSTOMER: { description: 'Owns projects and sees only those.' },
    ANALYST: { description: 'Reads across the tenant, changes nothing.' },
    DISPATCHER: { description: 'Sends people to places.' },
    OPERATOR: { description: 'Runs the tenant.' },
  } as const,
});

const ViewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description: 'Who asks: the identity behind the access token, in the one role that it acts in.',
  fields: (t) => ({
    identity: t.field({
      type: IdentityRef,
      nullable: true,
      description: 'The identity itself.',
      resolve: ({ identityId }, _args, { load }) => load.identity.load(identityId),
    }),
    role: t.field({ type: RoleEnum, description: 'The acting role.', resolve: ({ role }) => role }),
    displayName: t.exposeString('displayName', { description: 'How the identity is called.' }),
    tenant: t.exposeString('tenantSlug', { description: 'The tenant, by its short name.' }),
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'The expert that an EXPERT acts as.',
      resolve: ({ expertId }, _args, { load }) => (expertId === null ? null : load.expert.load(expertId)),
    }),
    customer: t.field({
      type: CustomerRef,
      nullable: true,
      description: 'The customer that a CUSTOMER acts for.',
      resolve: ({ customerId }, _args, { load }) =>
        customerId === null ? null : load.customer.load(customerId),
    }),
    tokenExpiresAt: t.field({
      type: 'DateTime',
      description: 'When the access token ends.',
      resolve: ({ expiresAtMs }) => new Date(expiresAtMs),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({ type: ViewerRef, description: 'Who asks.', resolve: (_root, _args, { viewer }) => viewer }),
);

IdentityRef.implement({
  description: 'Whom access tokens speak for inside the tenant. You see yourself; an OPERATOR sees all.',
  fields: (t) => ({
    displayName: t.exposeString('displayName', { description: 'How the identity is called.' }),
    issuer: t.exposeString('issuer', { description: 'Who issues its tokens.' }),
    subject: t.exposeString('subject', { description: 'Its name at the issuer.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the tenant came to know it.',
      resolve: (identity) => identity.createdAt,
    }),
  }),
});
