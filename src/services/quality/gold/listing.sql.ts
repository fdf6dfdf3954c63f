import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';

const GoldRow = z.object({
  id: z.bigint(),
  projectId: z.bigint(),
  state: z.enum(['ACTIVE', 'RETIRED', 'SUSPENDED']),
  source: z.enum(['HAND', 'IMPORT', 'MINTED']),
  label: z.string(),
  exposures: z.int(),
  exposuresMax: z.int(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
  reason: z.string().nullable(),
  aside: z.enum(['NAME', 'CONTENT_TYPE', 'SIZE']).nullable(),
  key: z.array(
    z.object({
      dimension: z.string(),
      text: z.string().nullable(),
      number: z.number().nullable(),
      tolerance: z.number(),
    }),
  ),
});

export type GoldRow = z.infer<typeof GoldRow>;

const goldColumns = Prisma.sql`
  g.task_id as id, g.project_id as "projectId", g.state, g.source, g.label, g.exposures, g.exposures_max as "exposuresMax",
  g.created_at as "createdAt", g.ended_at as "endedAt", g.reason, g.aside,
  (select jsonb_agg(jsonb_build_object('dimension', k.dimension, 'text', k.text_value, 'number', k.number_value,
     'tolerance', k.tolerance) order by k.dimension)
   from gold_keys k where k.tenant_id = g.tenant_id and k.task_id = g.task_id) as key`;

/** Which gold of a project is listed. */
export interface GoldPage {
  readonly projectId: bigint;
  readonly take: number;
  readonly afterId: bigint | null;
  /** Null: in any. */
  readonly state: GoldRow['state'] | null;
  /** Null: from anywhere. */
  readonly source: GoldRow['source'] | null;
  /** Null: whether it is aside or not. */
  readonly isAside: boolean | null;
}

/** Gold of a project that the scope shows, oldest first. */
export const goldPage = (
  db: Queryable,
  { projectId, take, afterId, state, source, isAside }: GoldPage,
): Promise<GoldRow[]> =>
  many(
    db,
    GoldRow,
    Prisma.sql`
      select ${goldColumns} from golds g
      where g.tenant_id = app.tenant_id() and g.project_id = ${projectId}
        and (${afterId}::bigint is null or g.task_id > ${afterId}::bigint)
        and (${state}::text is null or g.state = ${state}::text) and (${source}::text is null or g.source = ${source}::text)
        and (${isAside}::boolean is null or (g.state = 'ACTIVE' and g.aside is not null) = ${isAside}::boolean)
      order by g.task_id limit ${take}`,
  );

/** Some golds that the scope shows, in no order. */
export const goldsByTask = (db: Queryable, taskIds: readonly bigint[]): Promise<GoldRow[]> =>
  many(
    db,
    GoldRow,
    Prisma.sql`
      select ${goldColumns} from golds g where g.tenant_id = app.tenant_id() and g.task_id = any (${[...taskIds]}::bigint[])`,
  );
