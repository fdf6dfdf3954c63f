import { PAUSE_POLICY } from '../pausing/policy.js';
import { type TrustedResult, trustedCounts } from '../pausing/trusted.js';
import { accuracyAt } from '../scores/estimate.js';
import { NO_SCORE } from '../scores/score.js';

/** Results of an expert that speak of a bar, oldest first. */
type Credits = readonly TrustedResult[];

const HOPE = 0.9;

/**
 * The accuracy that somebody is below with probability .9, by their latest results and what is believed of anybody (the prior of pauses):
 * a bar above it is lost, just as somebody is paused who is below the pauses' bar with that probability.
 */
function hopeOf(results: Credits): number {
  const score = { ...NO_SCORE, seen: results.length, ...trustedCounts(results, PAUSE_POLICY.bar) };
  return accuracyAt(score, PAUSE_POLICY.prior, HOPE);
}

/**
 * What an expert is taken for who was taken for `reached`, and of whom `lower` is proven: never less than what is proven; a bar that they
 * reached they hold until results say with probability .9 that they are below it. Chance moves the lower bound to and fro, and without work
 * it would never move back.
 */
export const heldQuality = ({
  reached,
  lower,
  results,
}: {
  readonly reached: number;
  readonly lower: number;
  readonly results: Credits;
}): number => Math.max(lower, Math.min(reached, hopeOf(results)));

const DAY_MS = 86_400_000;
const WAIT_DAYS = [1, 3, 7, 14];
const WAIT_DAYS_MAX = 30;

/** How long whoever is below a bar waits for a trial, in ms: 1, 3, 7, 14, then 30 days, by how many trials they had within 90 days. */
export const trialWaitMs = (trials: number): number => (WAIT_DAYS[trials] ?? WAIT_DAYS_MAX) * DAY_MS;
