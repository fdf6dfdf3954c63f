import type { Tx } from '../platform/database.js';

/** Of these projects, those that row-level security shows to the scope. */
export async function projectsSeen(
  tx: Tx,
  tenantId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, true>> {
  const found = await tx.project.findMany({
    where: { tenantId, id: { in: [...ids] } },
    select: { id: true },
  });
  return new Map(found.map(({ id }) => [id, true]));
}
