import { pageOf } from '../../resolvers/paging.js';
import * as resolvers from '../../resolvers/routing.js';
import { routingOf } from '../../resolvers/routing-reason.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { MoneyRef } from '../platform/money.js';
import { ProjectSummaryRef } from '../projects/project-summary.js';
import { AssignmentRef, ExpertRef, TaskRef, TaskTypeRef } from '../refs.js';
import { AnswerRef } from './answer.js';
import { LeaseRef } from './lease.js';
import { RoutingRef } from './routing-reason.js';

const AssignmentStateEnum = builder.enumType('AssignmentState', {
  description: 'Where one expert’s work on one task stands.',
  values: {
    LEASED: { description: 'Held under a lease.' },
    SUBMITTED: { description: 'Answered, counted and paid.' },
    ACCEPTED: { description: 'Answered, and accepted by a review.' },
    REJECTED: { description: 'Answered, and rejected by a review.' },
    EXPIRED: { description: 'The lease ended first; may be taken back while its slot is free.' },
    RELEASED: { description: 'Given back.' },
    CANCELLED: { description: 'Ended with its project, or withdrawn by an operator.' },
    FLAGGED: { description: 'The expert said that the task cannot be answered.' },
  } as const,
});
type AssignmentState = typeof AssignmentStateEnum.$inferType;

const DraftRef = builder.objectRef<{ body: string; savedAt: Date }>('Draft').implement({
  description: 'What the expert has typed so far; survives the end of a lease.',
  fields: (t) => ({
    body: t.field({
      type: 'JSON',
      nullable: true,
      description: 'As it was sent.',
      resolve: ({ body }) => JSON.parse(body) as unknown,
    }),
    savedAt: t.field({ type: 'DateTime', description: 'When it was saved.', resolve: (d) => d.savedAt }),
  }),
});

AssignmentRef.implement({
  description:
    'One expert’s work on one task, for life: claimed again, it is the same one at the next lease epoch.',
  fields: (t) => ({
    task: t.field({
      type: TaskRef,
      description: 'The task.',
      resolve: (assignment, _args, ctx) => resolvers.taskOf(assignment, ctx),
    }),
    project: t.field({
      type: ProjectSummaryRef,
      nullable: true,
      description: 'The project that it belongs to, as whoever works on it sees it.',
      resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
    }),
    taskType: t.field({
      type: TaskTypeRef,
      nullable: true,
      description: 'What form an answer has, and the instructions.',
      resolve: (assignment, _args, ctx) => resolvers.taskTypeOf(assignment, ctx),
    }),
    state: t.field({
      type: AssignmentStateEnum,
      description: 'Where it stands.',
      resolve: (assignment, _args, ctx) => resolvers.stateOf(assignment, ctx) as Promise<AssignmentState>,
    }),
    lease: t.field({
      type: LeaseRef,
      nullable: true,
      description: 'The lease while it is live; null otherwise.',
      resolve: (assignment, _args, ctx) => resolvers.leaseOf(assignment, ctx),
    }),
    price: t.field({
      type: MoneyRef,
      description: 'What the answer earns: the price as it was when the task was claimed.',
      resolve: ({ priceMinor, currency }) => ({ minor: priceMinor, currency }),
    }),
    routing: t.field({
      type: RoutingRef,
      nullable: true,
      description:
        'Why this task was given to this expert; null where it was claimed before reasons were kept.',
      authScopes: { role: ['EXPERT', 'ANALYST', 'OPERATOR'] },
      resolve: (assignment, _args, ctx) => routingOf(assignment, ctx),
    }),
    payloadUrl: t.string({
      nullable: true,
      description:
        'Where the payload is, for this claim only and while its lease lives. Only in what a claim, a reclaim or `currentAssignment` answers.',
      authScopes: { role: ['EXPERT'] },
      resolve: ({ held }, _args, { app }) =>
        held ? `${app.publicUrl}/v1/payloads/${held.payloadToken}` : null,
    }),
    draft: t.field({
      type: DraftRef,
      nullable: true,
      description: 'What was typed so far, for the expert only.',
      authScopes: { role: ['EXPERT'] },
      resolve: ({ held, id }, _args, { load }) => (held ? held.draft : load.draft.load(id)),
    }),
    answer: t.field({
      type: AnswerRef,
      nullable: true,
      description: 'The answer, once there is one.',
      resolve: ({ held, id }, _args, { load }) => (held ? null : load.answer.load(id)),
    }),
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Who works on it; never shown to customers.',
      authScopes: { role: ['EXPERT', 'ANALYST', 'OPERATOR'] },
      resolve: (assignment, _args, ctx) => resolvers.expertOf(assignment, ctx),
    }),
  }),
});

const AssignmentConnection = connectionOf(AssignmentRef, 'assignments');

builder.queryField('assignments', (t) =>
  t.field({
    type: AssignmentConnection,
    description: 'Assignments, newest first: an expert’s own, or all of the tenant.',
    authScopes: { role: ['EXPERT', 'ANALYST', 'OPERATOR'] },
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, ctx) =>
      pageOf(args, { ctx, type: 'Assignment' }, (p) => resolvers.assignments(p, ctx)),
  }),
);

builder.queryField('currentAssignment', (t) =>
  t.field({
    type: AssignmentRef,
    nullable: true,
    description: 'What you hold under a live lease, with a fresh payload URL; null where that is nothing.',
    authScopes: { role: ['EXPERT'] },
    resolve: (_root, _args, ctx) => resolvers.currentAssignment(ctx),
  }),
);
