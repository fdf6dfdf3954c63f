import { Prisma } from '../../../generated/prisma/client.js';
import { type Queryable, run } from '../../platform/rows.js';
import type { Pair } from '../scores/keep.sql.js';
import type { ConfidenceCalibration } from './calibration.js';
import type { SkillCalibration } from './skills.js';

export const saveCalibration = (db: Queryable, { tenantId, expertId }: Pair, c: ConfidenceCalibration) =>
  run(
    db,
    Prisma.sql`
      with kept as (
        insert into confidence_calibrations (tenant_id, expert_id, pairs, stated, actual, error, brier, intercept, slope, use, updated_at)
        values (${tenantId}, ${expertId}, ${c.pairs}, ${c.stated}::float8, ${c.actual}::float8, ${c.error}::float8, ${c.brier}::float8,
          ${c.map.intercept}::float8, ${c.map.slope}::float8, ${c.use}, app.clock_now())
        on conflict (tenant_id, expert_id) do update set
          pairs = excluded.pairs, stated = excluded.stated, actual = excluded.actual, error = excluded.error,
          brier = excluded.brier, intercept = excluded.intercept, slope = excluded.slope, use = excluded.use,
          updated_at = excluded.updated_at
      )
      insert into calibration_days (tenant_id, expert_id, day, pairs, stated, actual, error, use)
      values (${tenantId}, ${expertId}, (app.clock_now() at time zone 'UTC')::date, ${c.pairs}, ${c.stated}::float8,
        ${c.actual}::float8, ${c.error}::float8, ${c.use})
      on conflict (tenant_id, expert_id, day) do update set
        pairs = excluded.pairs, stated = excluded.stated, actual = excluded.actual, error = excluded.error, use = excluded.use`,
  );

export const dropCalibration = (db: Queryable, { tenantId, expertId }: Pair) =>
  run(
    db,
    Prisma.sql`delete from confidence_calibrations where tenant_id = ${tenantId} and expert_id = ${expertId}`,
  );

/** Keeps what stated confidence means in each skill of an expert; what is not given is there no longer. */
export const saveSkillCalibrations = (
  db: Queryable,
  { tenantId, expertId }: Pair,
  calibrations: readonly SkillCalibration[],
) =>
  run(
    db,
    Prisma.sql`
      with given as materialized (
        select (c ->> 'skillId')::bigint as skill_id, c ->> 'dimension' as dimension, (c ->> 'pairs')::int as pairs,
               (c -> 'map' ->> 'intercept')::float8 as intercept, (c -> 'map' ->> 'slope')::float8 as slope,
               least(0.98, greatest(0.02, (c ->> 'usual')::float8)) as usual, c ->> 'use' as use
        from jsonb_array_elements(${JSON.stringify(calibrations.map((one) => ({ ...one, skillId: String(one.skillId) })))}::jsonb) c
      ), dropped as (
        delete from skill_calibrations k
        where k.tenant_id = ${tenantId} and k.expert_id = ${expertId}
          and not exists (select from given g where g.skill_id = k.skill_id and g.dimension = k.dimension)
      )
      insert into skill_calibrations as k (tenant_id, expert_id, skill_id, dimension, pairs, intercept, slope, usual, use, updated_at)
      select ${tenantId}, ${expertId}, g.skill_id, g.dimension, g.pairs, g.intercept, g.slope, g.usual, g.use, app.clock_now() from given g
      on conflict (tenant_id, expert_id, skill_id, dimension) do update set
        pairs = excluded.pairs, intercept = excluded.intercept, slope = excluded.slope, usual = excluded.usual, use = excluded.use,
        updated_at = excluded.updated_at
      where (k.pairs, k.intercept, k.slope, k.usual, k.use)
        is distinct from (excluded.pairs, excluded.intercept, excluded.slope, excluded.usual, excluded.use)`,
  );
