import type pg from 'pg';
import { expect, vi } from 'vitest';
import { applyEffects } from '../../../src/services/quality/pausing/effects.js';
import { keepScores } from '../../../src/services/quality/scores/keep.js';
import type { TestDb } from '../../support/db.js';
import type { Expert, World } from '../../support/factories.js';

export interface PlantedGrading {
  readonly isRight: boolean;
  readonly stated?: number;
  /** What the key says, where it is a number: of the dimension "length". */
  readonly length?: number;
}

let lastAssignment = 1_000_000_000;

/**
 * Gradings of gold, as a submit records them, a second apart, the last of them by the database's clock just now. Their
 * assignments are not there: folds read gradings only.
 */
export async function plantGradings(
  admin: pg.Client,
  { world, expert }: { world: World; expert: Expert },
  gradings: readonly PlantedGrading[],
): Promise<void> {
  const given = gradings.map((grading, index) => ({
    assignment: ++lastAssignment,
    right: grading.isRight,
    stated: grading.stated ?? null,
    length: grading.length ?? null,
    age: gradings.length - index - 1,
  }));
  await admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
       truth, answered, is_right, stated, graded_at)
     select $1, g.assignment, g.assignment, $2, $3, $4, $5, case when g.length is null then 'choice' else 'length' end, 'GOLD',
            coalesce(g.length::text, 'yes'),
            case when g.length is not null then (g.length + (not g.right)::int)::text when g.right then 'yes' else 'no' end, g.right, g.stated, app.clock_now() - make_interval(secs => g.age)
     from jsonb_to_recordset($6::jsonb) as g(assignment bigint, "right" boolean, stated real, length int, age int)`,
    [
      world.tenantId,
      world.projectId,
      expert.expertId,
      world.skillId,
      world.taskTypeId,
      JSON.stringify(given),
    ],
  );
}

/** So many right and wrong ones, `right` of them right, spread evenly. */
export const mixed = (of: number, right: number): PlantedGrading[] =>
  Array.from({ length: of }, (_, n) => ({
    isRight: Math.floor(((n + 1) * right) / of) > Math.floor((n * right) / of),
  }));

/** Folds all that is due but what failed; where a server runs, what it has taken is waited for. */
export async function foldScores({ database, admin }: TestDb): Promise<void> {
  const left = async () => {
    while ((await keepScores(database, 50)) === 50);
    const { rows } = await admin.query<{ left: number }>(
      `select count(*)::int as left from grading_dues d where not exists (
         select from work_failures w where (w.tenant_id, w.job, w.subject_id, w.skill_id) = (d.tenant_id, 'scores', d.expert_id, d.skill_id))`,
    );
    return rows[0]?.left;
  };
  // (Also before the first test of a file, where there is no `expect.poll`.)
  await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 20_000 });
}

/** Ends the waits between decisions and their effects at once, one after the other. */
export async function settle({ admin, database }: TestDb): Promise<void> {
  do {
    await admin.query(
      `update skill_effects set due_at = app.clock_now(), look_at = app.clock_now(), answers_min = 0, shown_min = 0
       where applied_at is null`,
    );
  } while ((await applyEffects(database, 50)) > 0);
}
