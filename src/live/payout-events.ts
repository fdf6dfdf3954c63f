import { z } from 'zod';
import type { Viewer } from '../services/access/viewer.js';
import type { StreamEvent } from '../services/events/stream.js';
import { expertPayouts } from '../services/events/streams.js';
import { toldBalances } from '../services/payouts/statement.js';
import { requireExpert, requireRole } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** What was booked for an expert; CURRENT is not a change: the balance as it is, or that there is none. */
export interface PayoutEvent {
  readonly kind: 'CURRENT' | 'POSTED';
  readonly currency: string | null;
  /** What was posted since the last event of this currency; null of CURRENT. */
  readonly amountMinor: bigint | null;
  readonly postings: number;
  /** What is owed after it. Whoever adds up balances needs no amounts. */
  readonly balanceMinor: bigint | null;
  readonly at: Date | null;
}

export interface PayoutEventArgs {
  /** Whose; an expert need not say. */
  readonly expertId?: bigint | null | undefined;
  readonly after?: string | null | undefined;
}

/** The balances of an expert, one a currency, then what is booked for them. */
export async function payoutEvents(
  parts: LiveParts,
  viewer: Viewer,
  { expertId = null, after = null }: PayoutEventArgs,
): Promise<AsyncIterableIterator<LiveItem<PayoutEvent>>> {
  requireRole(viewer, ['EXPERT', 'ANALYST', 'OPERATOR']);
  const whose = await requireExpert(parts, viewer, expertId);
  const source = { tenantId: viewer.tenantId, stream: expertPayouts(whose) };
  const reader = parts.hub.open(source, null);
  return subscription({
    reader,
    cursors: createCursorCodec(parts.cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      const { position } = reader; // What comes after it will be told, so the balances must be those before it.
      const balances = await parts.beginnings.inTurn(viewer, () =>
        toldBalances(parts.db, { ...source, ...position, expertId: whose }),
      );
      yield* balances.length === 0 ? [NOTHING] : balances.map((balance) => ({ ...NOTHING, ...balance }));
    },
    change: sharedValue('payoutEvents', posted),
  });
}

const NOTHING: PayoutEvent = {
  kind: 'CURRENT',
  currency: null,
  amountMinor: null,
  postings: 0,
  balanceMinor: null,
  at: null,
};

const Minor = z.string().pipe(z.coerce.bigint());
const PostedBody = z.object({
  currency: z.string(),
  amountMinor: Minor,
  postings: z.int(),
  balanceMinor: Minor,
});

function posted({ kind, body, at }: StreamEvent): PayoutEvent | null {
  return kind === 'POSTED' ? { kind, ...PostedBody.parse(JSON.parse(body)), at } : null;
}
