import * as resolvers from '../../resolvers/project-mutations.js';
import { budgetAsSet, budgetOf } from '../../resolvers/projects.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { BudgetExceededError, BudgetTooLowError } from '../../services/payouts/budget-errors.js';
import type { BudgetAsSet } from '../../services/projects/budget.js';
import { ProjectNotRunningError } from '../../services/projects/errors.js';
import { builder } from '../builder.js';
import { DomainErrorRef, plainRefusal } from '../platform/domain-error.js';
import { MoneyRef, type MoneyShape } from '../platform/money.js';
import { ProjectRef } from '../refs.js';

plainRefusal(BudgetExceededError, 'The budget of the project does not pay for this; nothing was done.');

builder.objectType(BudgetTooLowError, {
  name: 'BudgetTooLowError',
  description: 'What is spent and reserved already is more than the budget that was given; nothing was done.',
  interfaces: [DomainErrorRef],
  fields: (t) => ({
    committed: t.field({
      type: 'BigInt',
      description: 'The least that can be given, in minor units of the project’s currency.',
      resolve: ({ committedMinor }) => committedMinor,
    }),
  }),
});

interface BudgetShape {
  readonly limit: MoneyShape;
  readonly spent: MoneyShape;
  readonly reserved: MoneyShape;
  readonly available: MoneyShape;
  readonly stopped: number;
}

const ProjectBudgetRef = builder.objectRef<BudgetShape>('ProjectBudget').implement({
  description:
    'What a project may cost at most. Tasks that would cost more than what is available are not opened; tasks that would want more answers stop with what they have (`Task.waitsForBudget`), and go on when there is budget again.',
  fields: (t) => ({
    limit: t.field({ type: MoneyRef, description: 'The budget.', resolve: ({ limit }) => limit }),
    spent: t.field({
      type: MoneyRef,
      description: 'What its answers have cost.',
      resolve: ({ spent }) => spent,
    }),
    reserved: t.field({
      type: MoneyRef,
      description:
        'What its open tasks and adjudications may still cost. Nothing once it is cancelled, though what is held then may still be paid.',
      resolve: ({ reserved }) => reserved,
    }),
    available: t.field({
      type: MoneyRef,
      description: 'What is neither spent nor reserved.',
      resolve: ({ available }) => available,
    }),
    stopped: t.exposeInt('stopped', {
      description: 'How many tasks have stopped short of what they would want; 10,000: so many or more.',
    }),
  }),
});

builder.objectField(ProjectRef, 'budget', (t) =>
  t.field({
    type: ProjectBudgetRef,
    nullable: true,
    description: 'What it may cost at most; null: as much as it takes. See `setBudget`.',
    complexity: 20,
    resolve: (project, _args, ctx) => budgetOf(project, ctx),
  }),
);

interface BudgetSet {
  readonly projectId: bigint;
  readonly budget: BudgetAsSet | null;
}

export const SetBudgetInput = builder.inputType('SetBudgetInput', {
  description: 'What `setBudget` needs.',
  fields: (t) => ({
    projectId: t.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
    budget: t.field({
      type: 'BigInt',
      required: false,
      description:
        'In minor units of the project’s currency; null: as much as it takes. Has to be said, null too.',
    }),
  }),
});

const SetBudgetPayload = builder.objectRef<BudgetSet>('SetBudgetPayload').implement({
  description: 'What `setBudget` did.',
  fields: (t) => ({
    budget: t.field({
      type: ProjectBudgetRef,
      nullable: true,
      description:
        'The budget as this change made it, before anything that came later; null: it took the bound away.',
      resolve: (set, _args, ctx) => budgetAsSet(set, ctx),
    }),
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'The project as it is now.',
      resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
    }),
  }),
});

builder.mutationField('setBudget', (t) =>
  t.field({
    type: SetBudgetPayload,
    nullable: true,
    description:
      'Sets what a project may cost at most, everything counted that it has cost and that its tasks and adjudications may still cost. Gold is not the customer’s and costs nothing of it.',
    authScopes: { role: ['CUSTOMER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError, ProjectNotRunningError, BudgetTooLowError] },
    args: { input: t.arg({ type: SetBudgetInput, required: true, description: 'The budget.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setBudget(input, ctx),
  }),
);
