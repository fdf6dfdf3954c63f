import type { Context } from '../context.js';
import { forecastAccuracy as accuracyOf, type ForecastAccuracy } from '../services/forecast/accuracy.js';
import type { Forecast } from '../services/forecast/forecast.js';

/** Null where the viewer sees no such project. */
export async function forecastAccuracy(
  projectId: bigint | null,
  { read, load }: Context,
): Promise<ForecastAccuracy | null> {
  const isThere = projectId === null || (await load.project.load(projectId)) !== null;
  return isThere ? read((tx) => accuracyOf(tx, projectId)) : null;
}

/** A moment by which work is done with a probability. */
export interface DoneBy {
  readonly probability: number;
  readonly at: Date | null;
}

/** Those that are shown of a forecast's nineteen. */
const SHOWN = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95] as const;

export function doneBy({ doneBy: all }: Forecast): DoneBy[] {
  return all.length === 0
    ? []
    : SHOWN.map((probability) => ({
        probability,
        at: all[Math.round(probability * (all.length + 1)) - 1] ?? null,
      }));
}
