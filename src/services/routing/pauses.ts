import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { NotFoundError } from '../access/errors.js';
import { checkedWords } from '../access/profile.js';
import type { Viewer } from '../access/viewer.js';
import { callHot, type Database } from '../platform/database.js';
import { retrying } from '../platform/retry.js';

/** Whom a pause concerns. */
export interface Paused {
  readonly expertId: bigint;
  /** Null: all of their skills. */
  readonly skillId: bigint | null;
}

/**
 * Pauses an expert or one skill of theirs: no claim that follows gives them such work. What they hold may be submitted
 * and is paid, but is not extended; `withdraw` ends it at once, for fraud.
 * @throws NotFoundError, InputInvalidError
 */
export async function pauseExpert(
  db: Database,
  viewer: Viewer,
  { expertId, skillId, reason, withdraw }: Paused & { reason: string; withdraw: boolean },
): Promise<void> {
  const { tenantId, identityId } = viewer;
  const text = checkedWords(reason);
  await call(
    db,
    'pause_expert',
    Prisma.sql`
      select app.pause_expert_told(${tenantId}::bigint, ${identityId}::bigint, ${expertId}::bigint, ${skillId}::bigint,
        ${text}::text, ${withdraw}::boolean)`,
  );
}

/** Takes a pause back, for a reason that the expert reads; a skill has the status again that it had. @throws NotFoundError, InputInvalidError */
export async function resumeExpert(
  db: Database,
  viewer: Viewer,
  { expertId, skillId, reason }: Paused & { reason: string },
): Promise<void> {
  const { tenantId, identityId } = viewer;
  const text = checkedWords(reason);
  await call(
    db,
    'resume_expert',
    Prisma.sql`
      select app.resume_expert_told(${tenantId}::bigint, ${identityId}::bigint, ${expertId}::bigint, ${skillId}::bigint, ${text}::text)`,
  );
}

const Answer = z.object({ outcome: z.enum(['OK', 'NO_EXPERT', 'NO_SKILL']) });

async function call(db: Database, name: string, query: Prisma.Sql): Promise<void> {
  const { outcome } = Answer.parse(await retrying(() => callHot(db, name, query)));
  if (outcome !== 'OK') {
    throw new NotFoundError(outcome === 'NO_EXPERT' ? 'expert' : 'skill of the expert');
  }
}
