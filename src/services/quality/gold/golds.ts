import type { Tx } from '../../platform/database.js';
import type { AnswerValue } from '../../tasks/answers.js';
import type { Dimension } from '../../tasks/task-types.js';
import { targetsOf } from './balance.js';
import * as sql from './golds.sql.js';

/** What is right in one dimension; a number that is no further off than its tolerance is (none: its dimension's). */
export interface KeyValue extends AnswerValue {
  readonly tolerance?: number | null;
}

/** One gold to be added; its payload is durable. */
export interface NewGold {
  readonly payloadKey: string;
  readonly payloadBytes: number;
  readonly contentType: string;
  readonly externalId: string | null;
  /** What is right. */
  readonly values: readonly KeyValue[];
  /** The task that it was minted from, and who must not be shown it. */
  readonly sourceTaskId?: bigint;
  readonly barred?: readonly bigint[];
}

/**
 * Adds gold to a project and to what claims choose among, in the caller's transaction. A payload that is gold of the
 * project already is passed over.
 * @returns the payloads that were added, with their tasks
 */
export async function addGolds(
  tx: Tx,
  place: sql.GoldPlace & { source: 'HAND' | 'IMPORT' | 'MINTED'; actorId: bigint | null },
  { golds, dimensions }: { golds: readonly NewGold[]; dimensions: readonly Dimension[] },
): Promise<{ payloadKey: string; taskId: bigint }[]> {
  const classes = classDimension(dimensions);
  const rows = golds.map((gold) => ({
    ...gold,
    sourceTaskId: gold.sourceTaskId?.toString() ?? null,
    barred: gold.barred?.map(String) ?? null,
    label: labelOf(gold.values, classes),
  }));
  const added = await sql.insertGolds(tx, place, JSON.stringify(rows));
  await refreshPool(tx, place, classes);
  return added;
}

/** Counts what a project's claims may choose among, and sets the share of each class. */
export async function refreshPool(tx: Tx, place: sql.GoldPlace, dimension: string | null): Promise<void> {
  const classes = await sql.classesOf(tx, place, dimension);
  await sql.storePool(tx, place, {
    labels: classes.map(({ label }) => label),
    targets: targetsOf(classes),
  });
}

/** The dimension that gold is balanced over: the first that has classes; null where none has. */
export function classDimension(dimensions: readonly Dimension[]): string | null {
  return dimensions.find(({ scale }) => scale !== 'interval')?.name ?? null;
}

function labelOf(values: readonly AnswerValue[], dimension: string | null): string {
  const value = values.find((one) => one.dimension === dimension);
  return value?.text ?? value?.number?.toString() ?? '';
}
