import type { Queryable } from '../platform/rows.js';
import * as sql from './accuracy.sql.js';
import { PINBALL_AT } from './history/keep.js';

/** How good forecasts were whose batches have ended. Null where there is nothing to measure. */
export interface ForecastAccuracy {
  readonly forecasts: number;
  readonly batches: number;
  /** Forecasts that said never (later than in ten years) with .05 or more: in all but the scores of distance. */
  readonly never: number;
  readonly brier: number | null;
  readonly crpsHours: number | null;
  /** Share of forecasts whose batch was done within what was to hold 80 %. */
  readonly coverage80: number | null;
  readonly medianExceeded: number | null;
  readonly pinball: readonly { readonly probability: number; readonly hours: number }[];
  readonly reliability: readonly Reliability[];
  readonly alerts: Alerts;
}

/** What became of the forecasts that stated a probability of a tenth. */
export interface Reliability {
  readonly from: number;
  readonly to: number;
  readonly forecasts: number;
  /** The mean of what was stated, and the share that came true. */
  readonly stated: number;
  readonly happened: number;
}

/** Of batches that had a deadline. */
export interface Alerts {
  readonly batches: number;
  readonly missed: number;
  /** Of those that missed: said to be at risk before. */
  readonly warned: number;
  /** From the first such word to the deadline, by the median. */
  readonly leadHours: number | null;
  readonly alerted: number;
  /** Said to be at risk, and done by the deadline that this was said of, extended or not later. */
  readonly falseAlerts: number;
}

/** How good the forecasts of a project (null: of all) were that the scope may see. */
export async function forecastAccuracy(db: Queryable, projectId: bigint | null): Promise<ForecastAccuracy> {
  const { pinballSeconds, ...totals } = await sql.totalsOf(db, projectId);
  const bins = await sql.binsOf(db, projectId);
  return {
    ...totals,
    pinball: pinballSeconds.flatMap((seconds, place) =>
      seconds === null ? [] : [{ probability: PINBALL_AT[place] ?? Number.NaN, hours: seconds / 3600 }],
    ),
    reliability: bins.map(({ bin, ...rest }) => ({ from: bin / 10, to: (bin + 1) / 10, ...rest })),
    alerts: await sql.alertsOf(db, projectId),
  };
}
