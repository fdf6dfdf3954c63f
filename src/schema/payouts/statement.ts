import * as resolvers from '../../resolvers/payouts.js';
import type { Booked, Spend } from '../../services/payouts/statement.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { MoneyRef } from '../platform/money.js';
import { AssignmentRef, PayoutRef, ProjectRef } from '../refs.js';

const PayoutKindEnum = builder.enumType('PayoutKind', {
  description: 'What a payout is.',
  values: {
    EARNING: { description: 'What an answer earned.' },
    REVERSAL: { description: 'Takes an earning back.' },
  } as const,
});

PayoutRef.implement({
  description: 'What one assignment earned: posted once, never changed.',
  authScopes: { role: ['EXPERT', 'CUSTOMER', 'ANALYST', 'OPERATOR'] },
  fields: (t) => ({
    kind: t.field({
      type: PayoutKindEnum,
      description: 'An earning, or its reversal.',
      resolve: ({ kind }) => kind as 'EARNING' | 'REVERSAL',
    }),
    amount: t.field({
      type: MoneyRef,
      description: 'How much.',
      resolve: ({ amountMinor, currency }) => ({ minor: amountMinor, currency }),
    }),
    at: t.field({
      type: 'DateTime',
      description: 'When it was posted.',
      resolve: ({ createdAt }) => createdAt,
    }),
    assignment: t.field({
      type: AssignmentRef,
      nullable: true,
      description: 'The assignment that earned it.',
      resolve: ({ assignmentId }, _args, { load }) => load.assignment.load(assignmentId),
    }),
  }),
});

const PayoutConnection = connectionOf(PayoutRef, 'payouts');

const BookedRef = builder.objectRef<Booked>('Booked').implement({
  description: 'What was booked in one currency.',
  fields: (t) => ({
    amount: t.field({
      type: MoneyRef,
      description: 'How much, less what was taken back.',
      resolve: ({ amountMinor, currency }) => ({ minor: amountMinor, currency }),
    }),
    answers: t.int({ description: 'Answers that were paid.', resolve: ({ answers }) => Number(answers) }),
  }),
});

const StatementRef = builder
  .objectRef<{ currency: string | null; balances: readonly { currency: string; balanceMinor: bigint }[] }>(
    'Statement',
  )
  .implement({
    description: 'An expert’s earnings, to the cent.',
    fields: (t) => ({
      balances: t.field({
        type: [MoneyRef],
        description: 'What is owed to you now, a currency each.',
        resolve: ({ balances }) =>
          balances.map(({ currency, balanceMinor }) => ({ currency, minor: balanceMinor })),
      }),
      booked: t.field({
        type: [BookedRef],
        description:
          'What was booked from an instant on, a currency each: such as since the midnight of who looks.',
        args: {
          since: t.arg({ type: 'DateTime', required: true, description: 'From when, at most 31 days ago.' }),
        },
        complexity: 20,
        resolve: ({ currency }, { since }, ctx) => resolvers.booked(since, { ctx, currency }),
      }),
      lines: t.field({
        type: PayoutConnection,
        description: 'Each amount with the assignment that it comes from, newest first.',
        args: connectionArgs(),
        complexity: connectionCost,
        resolve: ({ currency }, args, ctx) => resolvers.statementLines(args, { ctx, currency }),
      }),
    }),
  });

builder.queryField('statement', (t) =>
  t.field({
    type: StatementRef,
    description: 'What you have earned.',
    authScopes: { role: ['EXPERT'] },
    args: {
      currency: t.arg({
        type: 'CurrencyCode',
        required: false,
        description: 'Only this currency (default: all).',
      }),
    },
    resolve: (_root, { currency }, ctx) => resolvers.statement(currency ?? null, ctx),
  }),
);

const SpendRef = builder.objectRef<Spend>('Spend').implement({
  description: 'What the answers of one project have cost.',
  fields: (t) => ({
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'The project.',
      resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
    }),
    amount: t.field({
      type: MoneyRef,
      description: 'How much, less what was reversed.',
      resolve: ({ amountMinor, currency }) => ({ minor: amountMinor, currency }),
    }),
    answers: t.int({ description: 'Answers that were paid for.', resolve: ({ answers }) => Number(answers) }),
  }),
});

builder.queryField('spend', (t) =>
  t.field({
    type: [SpendRef],
    description: 'What your projects (or one of them) have cost so far, by project and currency.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    args: {
      projectId: t.arg.globalID({ required: false, for: ProjectRef, description: 'Only this project.' }),
    },
    complexity: { field: 20, multiplier: 20 },
    resolve: (_root, { projectId }, ctx) => resolvers.spend(projectId?.id ?? null, ctx),
  }),
);
