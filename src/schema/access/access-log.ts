import * as resolvers from '../../resolvers/access.js';
import { pageOf } from '../../resolvers/paging.js';
import type { Role } from '../../services/access/viewer.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { AccessLogEntryRef, AssignmentRef, IdentityRef, TaskRef } from '../refs.js';
import { RoleEnum } from './viewer.js';

AccessLogEntryRef.implement({
  description:
    'That somebody was given sight of something: written in the transaction that gave it, never changed.',
  authScopes: { role: ['OPERATOR'] },
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When.', resolve: (entry) => entry.at }),
    viewer: t.field({
      type: IdentityRef,
      nullable: true,
      description: 'Who was given sight.',
      resolve: ({ actorId }, _args, { load }) => load.identity.load(actorId),
    }),
    role: t.field({ type: RoleEnum, description: 'Acting as what.', resolve: ({ role }) => role as Role }),
    assignment: t.field({
      type: AssignmentRef,
      nullable: true,
      description: 'The assignment whose payload it was.',
      resolve: ({ subjectType, subjectId }, _args, { load }) =>
        subjectType === 'ASSIGNMENT' ? load.assignment.load(subjectId) : null,
    }),
    payloadDigest: t.exposeString('payloadKey', {
      nullable: true,
      description: 'SHA-256 of the payload, in hex.',
    }),
    purpose: t.exposeString('purpose', { description: 'What for, such as "WORK".' }),
    requestId: t.exposeString('requestId', { nullable: true, description: 'The request that asked for it.' }),
  }),
});

const AccessLogConnection = connectionOf(AccessLogEntryRef, 'entries of the access log');

builder.queryField('accessLog', (t) =>
  t.field({
    type: AccessLogConnection,
    description:
      'Who was given sight of payloads, newest first: all, of one task’s payload, or to one identity.',
    authScopes: { role: ['OPERATOR'] },
    args: {
      ...connectionArgs(),
      payload: t.arg.globalID({ required: false, for: TaskRef, description: 'Only of this task’s payload.' }),
      viewer: t.arg.globalID({
        required: false,
        for: IdentityRef,
        description: 'Only what this identity was given.',
      }),
    },
    complexity: connectionCost,
    resolve: (_root, { payload, viewer, ...args }, ctx) =>
      pageOf(args, { ctx, type: 'AccessLogEntry' }, (p) =>
        resolvers.accessLog({ ...p, taskId: payload?.id ?? null, identityId: viewer?.id ?? null }, ctx),
      ),
  }),
);
