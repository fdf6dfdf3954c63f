import type { Tx } from '../platform/database.js';
import { type LiftWanted, setLifts } from '../tasks/project-lifts.js';
import { DEFAULT_POLICY, onTrackFrom, type RiskPolicy } from './policy.js';
import { chanceWithin } from './quantiles.js';
import type { ProjectName } from './risk.sql.js';
import { sampleOf } from './sample.js';

/** A batch that is at risk. */
export interface AtRisk {
  readonly batchId: bigint;
  readonly probability: number | null;
  /** Quantiles of the time until it is done; null while nothing can be said. */
  readonly seconds: readonly number[] | null;
  readonly secondsLeft: number | null;
}

/** A project of which it was just judged which batches are at risk. */
export interface JudgedProject extends ProjectName {
  readonly customerId: bigint;
  readonly isLifted: boolean;
  /** A lift of it has not been ended; it may have lapsed. */
  readonly hasLift: boolean;
  readonly atRisk: readonly AtRisk[];
}

/** With less no lift is worth what it takes from the others. */
const HOPELESS = 0.05;

/** Lifts those whose policy says so while a batch of theirs is at risk that a lift may still save, and no longer. */
export async function followPolicies(
  tx: Tx,
  projects: readonly JudgedProject[],
  policies: ReadonlyMap<bigint, RiskPolicy>,
): Promise<void> {
  const wanted = projects.map((project) =>
    wantedFor(project, policies.get(project.projectId) ?? DEFAULT_POLICY),
  );
  const changes = wanted.filter((one, place) => 'wanted' in one || projects[place]?.hasLift === true);
  if (changes.length > 0) {
    await setLifts(tx, changes);
  }
}

/** How a project is to be lifted from now on. */
export function wantedFor(
  { tenantId, projectId, customerId, isLifted, atRisk }: Omit<JudgedProject, 'hasLift'>,
  { lift, liftBelow }: RiskPolicy,
): LiftWanted {
  const name = { tenantId, projectId };
  if (lift === null) {
    return { ...name, ends: 'POLICY' };
  }
  const below = isLifted ? onTrackFrom(liftBelow) : liftBelow;
  const concerned = atRisk.filter(({ probability }) => probability !== null && probability < below);
  const [worst] = concerned
    .filter((batch) => isToBeSaved(batch, lift))
    .sort((one, other) => (one.probability ?? 0) - (other.probability ?? 0));
  return worst === undefined
    ? { ...name, ends: concerned.length > 0 ? 'LATE' : 'ON_TRACK' }
    : { ...name, wanted: { customerId, batchId: worst.batchId, probability: worst.probability, lift } };
}

/** Whether its deadline might be made if it went so many times as fast: not where nothing says how fast it goes. */
function isToBeSaved({ seconds, secondsLeft }: AtRisk, lift: number): boolean {
  return (
    secondsLeft !== null &&
    secondsLeft > 0 &&
    seconds !== null &&
    chanceWithin(sampleOf(seconds), lift * secondsLeft) >= HOPELESS
  );
}
