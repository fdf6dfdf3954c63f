import { pageOf } from '../../resolvers/paging.js';
import * as resolvers from '../../resolvers/projects.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { MoneyRef } from '../platform/money.js';
import { CustomerRef, ProjectRef, SkillRef, TaskTypeRef } from '../refs.js';
import { ProjectStateEnum } from './project-summary.js';

export const CancelPolicyEnum = builder.enumType('CancelPolicy', {
  description: 'What becomes of work in hand when a project is cancelled.',
  values: {
    STOP: { description: 'Live leases end at once.' },
    FINISH: { description: 'Each live lease may be submitted and paid until it ends; none is extended.' },
  } as const,
});

ProjectRef.implement({
  description: 'A customer’s work: what is asked, of whom, for how much, until when.',
  authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    customer: t.field({
      type: CustomerRef,
      nullable: true,
      description: 'Whose it is.',
      resolve: ({ customerId }, _args, { load }) => load.customer.load(customerId),
    }),
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'What experts need to be able to do.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
    taskType: t.field({
      type: TaskTypeRef,
      nullable: true,
      description: 'What form an answer has.',
      resolve: ({ taskTypeId }, _args, { load }) => load.taskType.load(taskTypeId),
    }),
    price: t.field({
      type: MoneyRef,
      description: 'For one answer; fixed for an assignment when it is claimed.',
      resolve: ({ priceMinor, currency }) => ({ minor: priceMinor, currency }),
    }),
    redundancy: t.exposeInt('redundancy', {
      description: 'Independent answers that a task wants, unless it says otherwise.',
    }),
    minQuality: t.exposeFloat('minQuality', { description: 'Proven quality that an expert needs, 0 to 1.' }),
    weight: t.exposeInt('weight', { description: 'Share of a skill’s claims against other projects.' }),
    leaseSeconds: t.exposeInt('leaseSeconds', { description: 'How long one lease is.' }),
    deadline: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it should be done.',
      resolve: (p) => p.deadline,
    }),
    state: t.field({
      type: ProjectStateEnum,
      description: 'Whether it gives out work.',
      resolve: ({ state }) => state as 'RUNNING' | 'CANCELLED',
    }),
    cancelPolicy: t.field({
      type: CancelPolicyEnum,
      nullable: true,
      description: 'How it was cancelled.',
      resolve: ({ cancelPolicy }) => cancelPolicy as 'STOP' | 'FINISH' | null,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was created.',
      resolve: (p) => p.createdAt,
    }),
  }),
});

const ProjectConnection = connectionOf(ProjectRef, 'projects');

builder.queryField('projects', (t) =>
  t.field({
    type: ProjectConnection,
    description: 'Projects that you may see, oldest first.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, ctx) => pageOf(args, { ctx, type: 'Project' }, (p) => resolvers.projects(p, ctx)),
  }),
);
