import type { ExpertSupply } from '../../../src/services/forecast/capacity/presence.js';

const HOURS_A_WEEK = 168;
const WEEKS = 8;

/** An expert of eight weeks who works so many hours in each, evenly by day and night. */
export const hoursOf = (classes: readonly number[], hours: number): ExpertSupply => ({
  classes,
  seconds: Float64Array.from({ length: WEEKS * HOURS_A_WEEK }, () => (hours * 3_600) / HOURS_A_WEEK),
});
