import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';
import { StoredFixesJson } from './capacity/stored.js';

const Id = z.coerce.bigint();
const ShownRow = z.object({ projectId: Id, batchId: Id });

/** Of those of which something is open, and of those at risk, so many of a project, the oldest; and beside them so many of the latest. */
export const OPEN_MAX = 1_000;
const LATEST = 100;

/** The batches of a project w that are shown, as ids. */
const shown = Prisma.sql`
  (select o.batch_id as id from open_batches o
   where o.tenant_id = (select app.tenant_id()) and o.project_id = w.id order by o.batch_id limit ${OPEN_MAX})
  union
  (select r.batch_id from forecasts r
   where r.tenant_id = (select app.tenant_id()) and r.project_id = w.id and r.at_risk order by r.batch_id limit ${OPEN_MAX})
  union
  (select n.id from batches n
   where n.tenant_id = (select app.tenant_id()) and n.project_id = w.id and n.state = 'OPEN' order by n.id desc limit ${LATEST})`;

/** Batches that the forecasts of some projects are about, by age: of which something is open, and the latest; of those that the scope may see. */
export const shownBatches = (
  db: Queryable,
  projectIds: readonly bigint[],
): Promise<z.infer<typeof ShownRow>[]> =>
  many(
    db,
    ShownRow,
    Prisma.sql`
      select b.project_id as "projectId", b.id as "batchId"
      from unnest(${[...projectIds]}::bigint[]) as w(id)
      cross join lateral (${shown}) x
      join batches b on b.tenant_id = (select app.tenant_id()) and b.id = x.id
      where b.state = 'OPEN'
      order by b.id`,
  );

const WholeRow = z.object({
  projectId: Id,
  batches: z.int(),
  remaining: z.coerce.number(),
  answersPerHour: z.number(),
  deadline: z.date().nullable(),
  probability: z.number().nullable(),
});
/** All open batches of a project, as last judged, in sum. */
export type WholeProject = z.infer<typeof WholeRow>;

/** What projects come to that have more open batches than are shown. */
export const wholeProjects = (db: Queryable, projectIds: readonly bigint[]): Promise<WholeProject[]> =>
  many(
    db,
    WholeRow,
    Prisma.sql`
      select o.project_id as "projectId", count(*)::int as batches, sum(f.remaining) as remaining,
             sum(f.answers_per_hour)::float8 as "answersPerHour", max(f.deadline) as deadline, min(f.probability_on_time) as probability
      from open_batches o
      join forecasts f on f.tenant_id = o.tenant_id and f.batch_id = o.batch_id and f.remaining > 0
      where o.tenant_id = (select app.tenant_id()) and o.project_id = any (${[...projectIds]}::bigint[])
      group by o.project_id`,
  );

const RiskRow = z.object({
  batchId: Id,
  atRisk: z.boolean(),
  probabilityOnTime: z.number().nullable(),
  expectedDoneAt: z.date().nullable(),
  deadline: z.date().nullable(),
  computedAt: z.date(),
  /** What would make its deadline. */
  fixes: StoredFixesJson.nullable(),
});
/** The risk of a batch, as last judged. */
export type BatchRisk = z.infer<typeof RiskRow>;

/** The risk of the same batches of a project, of those that have a forecast. */
export const projectRisks = (db: Queryable, projectId: bigint): Promise<BatchRisk[]> =>
  many(
    db,
    RiskRow,
    Prisma.sql`
      select f.batch_id as "batchId", f.at_risk as "atRisk", f.probability_on_time as "probabilityOnTime",
             f.expected_done_at as "expectedDoneAt", f.deadline, f.computed_at as "computedAt",
             nullif(f.capacity -> 'fixes', 'null') as fixes
      from (select ${projectId}::bigint as id) w
      cross join lateral (${shown}) x
      join forecasts f on f.tenant_id = (select app.tenant_id()) and f.batch_id = x.id
      order by f.batch_id`,
  );
