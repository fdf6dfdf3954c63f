import { z } from 'zod';
import type { Viewer } from '../services/access/viewer.js';
import type { StreamEvent } from '../services/events/stream.js';
import { poolOfSkill } from '../services/events/streams.js';
import { poolOf as storedPool } from '../services/routing/pools.js';
import { requireRole, requireSkill } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** How a skill stands. Before it was ever measured, nothing but zeros and no instant. */
export interface PoolEvent {
  readonly queueDepth: number;
  readonly openAnswers: bigint;
  readonly oldestOpenAt: Date | null;
  readonly available: number;
  readonly qualified: number;
  readonly capacityPerHour: number;
  readonly pressure: number;
  readonly computedAt: Date | null;
}

export interface PoolEventArgs {
  readonly skillId: bigint;
  readonly after?: string | null | undefined;
}

/** How a skill stands, then each time that it has changed much. Changes that wait shrink to the newest. */
export async function poolEvents(
  parts: LiveParts,
  viewer: Viewer,
  { skillId, after = null }: PoolEventArgs,
): Promise<AsyncIterableIterator<LiveItem<PoolEvent>>> {
  requireRole(viewer, ['OPERATOR', 'ANALYST']);
  await requireSkill(parts, viewer, skillId);
  const source = { tenantId: viewer.tenantId, stream: poolOfSkill(skillId) };
  return subscription({
    reader: parts.hub.open(source, () => 'pool'),
    cursors: createCursorCodec(parts.cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      const pool = await storedPool(parts.db, viewer, skillId);
      yield pool === null ? NOTHING : { ...pool, openAnswers: BigInt(pool.openAnswers) };
    },
    change: sharedValue('poolEvents', changedPool),
  });
}

const NOTHING: PoolEvent = {
  queueDepth: 0,
  openAnswers: 0n,
  oldestOpenAt: null,
  available: 0,
  qualified: 0,
  capacityPerHour: 0,
  pressure: 0,
  computedAt: null,
};

const When = z.iso.datetime().transform((text) => new Date(text));
const PoolBody = z.object({
  queueDepth: z.int(),
  openAnswers: z.int().pipe(z.coerce.bigint()),
  oldestOpenAt: When.nullable(),
  available: z.int(),
  qualified: z.int(),
  capacityPerHour: z.number(),
  pressure: z.number(),
  computedAt: When,
});

function changedPool({ body }: StreamEvent): PoolEvent {
  return PoolBody.parse(JSON.parse(body));
}
