import { pageOf } from '../../resolvers/paging.js';
import * as resolvers from '../../resolvers/projects.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { MoneyRef } from '../platform/money.js';
import { CustomerRef, ProjectRef, SkillRef, TaskTypeRef } from '../refs.js';
import { ProjectStateEnum } from './project-summary.js';
import { FurtherSkillsRef } from './requirement.js';

/** What a weight promises. */
const WEIGHT =
  'Priority as a share, 1 to 1000: of the claims that a lane gives out while several projects wait in it, each has its weight’s part of the sum. Never strict: a project of weight 1 waits at most until the others have had the sum of their weights.';

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
    redundancyPolicy: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'How many answers a task gets, decided by its answers; null: as many as it was opened with. See `setRedundancy`.',
      resolve: ({ redundancyPolicy }) => redundancyPolicy,
    }),
    isCritical: t.exposeBoolean('isCritical', { description: 'Whether its rule is held to 3 to 5 answers.' }),
    minQuality: t.exposeFloat('minQuality', { description: 'Proven quality that an expert needs, 0 to 1.' }),
    furtherSkills: t.field({
      type: FurtherSkillsRef,
      description: 'Skills that experts need beside that one.',
      resolve: (project) => project,
    }),
    languages: t.exposeStringList('languages', {
      description: 'Languages (BCP 47, lower case) that experts need, all of them.',
    }),
    tags: t.exposeStringList('tags', { description: 'Tags that experts need, all of them.' }),
    maxPerExpert: t.exposeInt('maxPerExpert', {
      nullable: true,
      description: 'Tasks of the project that one expert may take; null: as many as there are.',
    }),
    weight: t.exposeInt('weight', { description: WEIGHT }),
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
