import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { type Database, withSystem } from '../platform/database.js';
import { maybeOne } from '../platform/rows.js';
import { hashPayloadToken } from './held.js';

const GrantRow = z.object({
  tenantId: z.bigint(),
  expertId: z.bigint(),
  payloadKey: z.string(),
  contentType: z.string(),
  live: z.boolean(),
});

/** What the token of a payload URL was minted for. */
export type PayloadGrant = z.infer<typeof GrantRow>;

/**
 * The grant behind the token of a payload URL; null for a token that was never minted. `live` is false once the claim
 * that it was minted for has ended, by whatever way, or was taken again at another epoch. Its access log entry was
 * written with it (rule 17). The token alone says which tenant it is, so this runs before any tenant is known.
 */
export function findPayloadGrant(db: Database, token: string): Promise<PayloadGrant | null> {
  const hash = hashPayloadToken(token);
  return withSystem(db, (tx) =>
    maybeOne(
      tx,
      GrantRow,
      Prisma.sql`
        select g.tenant_id as "tenantId", g.expert_id as "expertId", g.payload_key as "payloadKey",
               g.content_type as "contentType",
               (a.state = 'LEASED' and a.epoch = g.epoch and a.lease_until > app.clock_now()) as live
        from payload_grants g
        join assignments a on a.tenant_id = g.tenant_id and a.id = g.assignment_id
        where g.token_hash = ${hash}`,
    ),
  );
}
