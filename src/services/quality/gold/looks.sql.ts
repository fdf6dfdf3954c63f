import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable } from '../../platform/rows.js';
import type { GoldPlace } from './golds.sql.js';

// What the tasks of a project look like to experts: gold that looks otherwise would be told.

/** Which of these payloads a project has as tasks. */
export const givenAsTasks = async (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  payloadKeys: readonly string[],
): Promise<Set<string>> => {
  const rows = await many(
    db,
    z.object({ payloadKey: z.string() }),
    Prisma.sql`
      select distinct t.payload_key as "payloadKey" from tasks t
      where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.kind <> 'GOLD'
        and t.payload_key = any (${[...payloadKeys]}::text[])`,
  );
  return new Set(rows.map(({ payloadKey }) => payloadKey));
};

/** Whether the tasks of a project have names of their customer's; null where there are some of both, or none at all. */
export const areTasksNamed = async (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
): Promise<boolean | null> => {
  const { named, unnamed } = await one(
    db,
    z.object({ named: z.boolean(), unnamed: z.boolean() }),
    Prisma.sql`
      select exists (select from tasks t where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.kind = 'WORK'
                       and t.external_id is not null) as named,
             exists (select from tasks t where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.kind = 'WORK'
                       and t.external_id is null) as unnamed`,
  );
  return named === unnamed ? null : named;
};
