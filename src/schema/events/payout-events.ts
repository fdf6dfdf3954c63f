import type { PayoutEvent } from '../../live/payout-events.js';
import { builder } from '../builder.js';
import { MoneyRef, type MoneyShape } from '../platform/money.js';
import { ExpertRef } from '../refs.js';
import { liveField, liveType } from './live-field.js';

const PayoutEventKindEnum = builder.enumType('PayoutEventKind', {
  description: 'What can be heard of an expert’s account.',
  values: {
    CURRENT: {
      description: 'Not a change: the balance as it is. Without a currency: nothing was ever booked.',
    },
    POSTED: { description: 'Earnings, or reversals of them, were booked.' },
  } as const,
});

const PayoutEventRef = liveType<PayoutEvent>('PayoutEvent', {
  description: 'What was booked for an expert in one currency.',
  fields: (t) => ({
    kind: t.field({
      type: PayoutEventKindEnum,
      description: 'What happened.',
      resolve: ({ value }) => value.kind,
    }),
    amount: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'What was booked since the last event; null of CURRENT.',
      resolve: ({ value }) => moneyOf(value.amountMinor, value.currency),
    }),
    postings: t.int({ description: 'In how many postings.', resolve: ({ value }) => value.postings }),
    balance: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'What is owed after it.',
      resolve: ({ value }) => moneyOf(value.balanceMinor, value.currency),
    }),
    at: t.field({ type: 'DateTime', nullable: true, description: 'When.', resolve: ({ value }) => value.at }),
  }),
});

function moneyOf(minor: bigint | null, currency: string | null): MoneyShape | null {
  return minor === null || currency === null ? null : { minor, currency };
}

liveField('payoutEvents', {
  type: PayoutEventRef,
  description:
    'The balances of an expert, then what is booked for them, some answers at a time; with cursors like `leaseEvents`.',
  roles: ['EXPERT', 'ANALYST', 'OPERATOR'],
  args: builder.args((t) => ({
    expertId: t.globalID({
      required: false,
      for: ExpertRef,
      description: 'Whose; an expert need not say, others must.',
    }),
  })),
  open: (live, viewer, { expertId, after }) =>
    live.payoutEvents(viewer, { expertId: expertId?.id ?? null, after }),
});
