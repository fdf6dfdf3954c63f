import type { Context } from '../context.js';
import type { SetRiskPolicyInput } from '../schema/forecast/risk-policy.js';
import { forecastAccuracy as accuracyOf, type ForecastAccuracy } from '../services/forecast/accuracy.js';
import type { Forecast } from '../services/forecast/forecast.js';
import { setRiskPolicy as setPolicy } from '../services/forecast/policy.js';

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

export function doneBy({ doneBy: all }: Pick<Forecast, 'doneBy'>): DoneBy[] {
  return all.length === 0
    ? []
    : SHOWN.map((probability) => ({
        probability,
        at: all[Math.round(probability * (all.length + 1)) - 1] ?? null,
      }));
}

export async function setRiskPolicy(
  { projectId, threshold, lift }: typeof SetRiskPolicyInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ projectId: bigint }> {
  await setPolicy(app.db, viewer, {
    projectId: projectId.id,
    ...(threshold === undefined || threshold === null ? {} : { threshold }),
    ...(lift === undefined ? {} : { lift }),
  });
  return { projectId: projectId.id };
}
