import type { Context } from '../context.js';
import type { Payout } from '../generated/prisma/client.js';
import * as payouts from '../services/payouts/statement.js';
import { badInput } from './api-errors.js';
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

const DAY_MS = 86_400_000;
/** How far back one may add up, in days. */
const DAYS_MAX = 31;

/** @throws BAD_USER_INPUT for an instant longer ago than that */
export async function booked(
  since: Date,
  { ctx, currency }: { ctx: Context; currency: string | null },
): Promise<readonly payouts.Booked[]> {
  const now = await ctx.load.now();
  if (since.getTime() < now.getTime() - DAYS_MAX * DAY_MS) {
    throw badInput(`\`since\` may be at most ${DAYS_MAX} days ago.`);
  }
  const all = await payouts.bookedSince(ctx.app.db, ctx.asker, since);
  return currency === null ? all : all.filter((one) => one.currency === currency);
}

export const spend = (projectId: bigint | null, { app, asker }: Context) =>
  payouts.spend(app.db, asker, { projectId });
