import type { Queryable } from '../../platform/rows.js';
import { cohenKappa } from '../agreement/cohen.js';
import { contingencyOf } from '../agreement/contingency.js';
import { latestPairs } from './project-quality.sql.js';

/** Finished tasks looked at, and pairs told: those with the most tasks in common. */
const TASKS_MAX = 5_000;
const PAIRS_MAX = 100;

export interface PairAgreement {
  readonly dimension: string;
  readonly one: bigint;
  readonly other: bigint;
  /** Tasks that both have answered. */
  readonly tasks: number;
  /** Cohen's kappa: 1 where they always agree, 0 at chance. */
  readonly kappa: number;
  /** kappa ± 1.96 standard errors; null where there is nothing to correct for. */
  readonly interval: readonly [number, number] | null;
}

type PairRow = Awaited<ReturnType<typeof latestPairs>>[number];

/** How far two experts agree beyond chance, dimension by dimension, on the latest finished tasks of a project. */
export async function pairAgreement(db: Queryable, projectId: bigint): Promise<PairAgreement[]> {
  const groups = new Map<string, PairRow[]>();
  for (const row of await latestPairs(db, projectId, TASKS_MAX)) {
    const key = JSON.stringify([row.dimension, String(row.one), String(row.other)]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()]
    .flatMap(agreementOf)
    .sort((a, b) => b.tasks - a.tasks || a.kappa - b.kappa)
    .slice(0, PAIRS_MAX);
}

function agreementOf(rows: readonly PairRow[]): PairAgreement[] {
  const pairs = rows.flatMap(({ said, answered, tasks }) =>
    Array.from({ length: tasks }, () => [said, answered] as const),
  );
  const found = cohenKappa(contingencyOf(pairs));
  const [first] = rows;
  return first === undefined || found === null
    ? []
    : [
        {
          dimension: first.dimension,
          one: first.one,
          other: first.other,
          tasks: pairs.length,
          kappa: found.kappa,
          interval: found.interval,
        },
      ];
}
