import type { Context } from '../context.js';
import type { Payout } from '../generated/prisma/client.js';
import * as payouts from '../services/payouts/statement.js';
import { backward, type ConnectionOf, type PageArgs, pageOf } from './paging.js';

export async function statement(currency: string | null, { app, viewer }: Context) {
  const { balances } = await payouts.statement(app.db, viewer, { limit: 0, currency });
  return { currency, balances };
}

export function statementLines(
  args: PageArgs,
  { ctx, currency }: { ctx: Context; currency: string | null },
): Promise<ConnectionOf<Payout>> {
  return pageOf(args, { ctx, type: 'Payout' }, (p) => {
    const { where, ...order } = backward(p);
    const ofCurrency = currency === null ? {} : { currency };
    return ctx.read((tx) => tx.payout.findMany({ ...order, where: { ...where, ...ofCurrency } }));
  });
}

export const spend = (projectId: bigint | null, { app, asker }: Context) =>
  payouts.spend(app.db, asker, { projectId });
