import { expertSessions } from '../../resolvers/expert-sessions.js';
import { pageOf } from '../../resolvers/paging.js';
import type { ExpertSession } from '../../services/routing/expert-sessions.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { AssignmentRef, ExpertRef } from '../refs.js';

const InterruptionsRef = builder.objectRef<ExpertSession>('SessionInterruptions').implement({
  description:
    'Short interruptions of the last 24 hours: the last connection was lost, and the expert was back within ten minutes.',
  fields: (t) => ({
    count: t.int({ description: 'How many.', resolve: ({ interruptions }) => interruptions }),
    averageSeconds: t.float({
      nullable: true,
      description: 'How long they were away on average.',
      resolve: ({ averageAwaySeconds }) => averageAwaySeconds,
    }),
    longestSeconds: t.float({
      nullable: true,
      description: 'How long they were away the longest time.',
      resolve: ({ longestAwaySeconds }) => longestAwaySeconds,
    }),
    leasesHeld: t.int({
      description: 'Of them, those that the lease outlived which was held at the loss.',
      resolve: ({ leasesHeld }) => leasesHeld,
    }),
    leasesLost: t.int({
      description: 'Of them, those that it did not: it had run out when the expert was back.',
      resolve: ({ leasesLost }) => leasesLost,
    }),
  }),
});

const ExpertSessionRef = builder.objectRef<ExpertSession>('ExpertSession').implement({
  description: 'How the session of an expert fares: connections, lease and interruptions.',
  fields: (t) => ({
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Whose.',
      resolve: ({ id }, _args, { load }) => load.expert.load(id),
    }),
    connected: t.boolean({
      description:
        'Whether a WebSocket or an event stream of theirs is open on any node. Of a node that was killed it is said for up to 20 seconds more.',
      resolve: ({ nodes }) => nodes > 0,
    }),
    connectedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when without interruption; null: they are not connected.',
      resolve: ({ connectedAt }) => connectedAt,
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When they were last connected; null: never. Experts may work without a connection that stays.',
      resolve: ({ lastSeenAt }) => lastSeenAt,
    }),
    sockets: t.exposeInt('sockets', { description: 'WebSockets, of all nodes.' }),
    streams: t.exposeInt('streams', { description: 'Subscriptions by server-sent events, of all nodes.' }),
    nodes: t.exposeInt('nodes', { description: 'Nodes that they are connected to.' }),
    assignment: t.field({
      type: AssignmentRef,
      nullable: true,
      description: 'What they hold a live lease of.',
      resolve: ({ assignmentId }, _args, { load }) =>
        assignmentId === null ? null : load.assignment.load(assignmentId),
    }),
    leaseUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the lease ends without a heartbeat.',
      resolve: ({ leaseUntil }) => leaseUntil,
    }),
    lastHeartbeatAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the lease was last extended, or taken.',
      resolve: ({ heartbeatAt }) => heartbeatAt,
    }),
    interruptions: t.field({
      type: InterruptionsRef,
      description: 'Short interruptions of the last 24 hours.',
      resolve: (session) => session,
    }),
  }),
});

const ExpertSessionConnection = connectionOf(ExpertSessionRef, 'sessions');

builder.queryField('expertSessions', (t) =>
  t.field({
    type: ExpertSessionConnection,
    description:
      'How the sessions of experts fare who have been connected or hold a lease: who is there now, and whom the network interrupts.',
    authScopes: { role: ['OPERATOR'] },
    args: {
      ...connectionArgs(),
      connected: t.arg.boolean({
        required: false,
        description: 'Only of those who are connected, or who are not.',
      }),
      expertId: t.arg.globalID({ required: false, for: ExpertRef, description: 'Only of this expert.' }),
    },
    complexity: connectionCost,
    resolve: (_root, { connected, expertId, ...args }, ctx) => {
      const filter = { connected: connected ?? null, expertId: expertId?.id ?? null };
      return pageOf(args, { ctx, type: 'Expert' }, (page) => expertSessions(filter, page, ctx));
    },
  }),
);
