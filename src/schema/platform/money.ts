import { builder } from '../builder.js';

/** An amount as services give it. */
export interface MoneyShape {
  readonly minor: bigint;
  readonly currency: string;
}

export const MoneyRef = builder.objectRef<MoneyShape>('Money').implement({
  description: 'An amount of money, exact; nothing here is ever converted or rounded.',
  fields: (t) => ({
    minorUnits: t.field({
      type: 'BigInt',
      description: 'In the smallest unit of the currency, such as cents.',
      resolve: ({ minor }) => minor,
    }),
    currency: t.field({
      type: 'CurrencyCode',
      description: 'The currency of the amount.',
      resolve: ({ currency }) => currency,
    }),
  }),
});

export const MoneyInput = builder.inputType('MoneyInput', {
  description: 'An amount of money.',
  fields: (t) => ({
    minorUnits: t.field({
      type: 'BigInt',
      required: true,
      description: 'In the smallest unit of the currency.',
    }),
    currency: t.field({ type: 'CurrencyCode', required: true, description: 'The currency of the amount.' }),
  }),
});
