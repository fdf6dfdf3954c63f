/** One gold as its life depends on it. */
export interface GoldLife {
  /** Experts it was shown to. */
  readonly exposures: number;
  readonly ageSeconds: number;
  /** A slot of it waits in the queue: given back, or of a round that is not over. */
  readonly isWaiting?: boolean;
  /** A finding of the watch, if any. */
  readonly finding: 'LEAKED' | 'UNHEALTHY' | null;
}

export interface GoldLimits {
  readonly exposuresMax: number;
  readonly ageSecondsMax: number;
}

/** Toloka and Figure Eight show a gold once an expert and let it wear out; forty experts is what the notes advise. */
export const GOLD_LIMITS: GoldLimits = { exposuresMax: 40, ageSecondsMax: 90 * 86_400 };

/** SUSPENDED counts in no score until a human or the watch decides; RETIRED counts, and is never shown again. */
export type GoldStanding =
  | { readonly standing: 'ACTIVE' }
  | { readonly standing: 'RETIRED'; readonly reason: 'EXPOSURE' | 'AGE' | 'LEAKED' }
  | { readonly standing: 'SUSPENDED'; readonly reason: 'UNHEALTHY' };

/**
 * Whether a gold may still be shown. A leaked one is retired, its first twenty results count; an unhealthy one, which
 * strong experts miss, is suspended and every score that used it is folded again.
 */
export function goldStanding(gold: GoldLife, limits: GoldLimits = GOLD_LIMITS): GoldStanding {
  if (gold.finding === 'UNHEALTHY') {
    return { standing: 'SUSPENDED', reason: 'UNHEALTHY' };
  }
  if (gold.finding === 'LEAKED') {
    return { standing: 'RETIRED', reason: 'LEAKED' };
  }
  // What was given back goes to somebody, as other work does, before it is worn out.
  if (gold.exposures >= limits.exposuresMax && gold.isWaiting !== true) {
    return { standing: 'RETIRED', reason: 'EXPOSURE' };
  }
  return gold.ageSeconds >= limits.ageSecondsMax
    ? { standing: 'RETIRED', reason: 'AGE' }
    : { standing: 'ACTIVE' };
}

/** A finished task that might become gold. */
export interface MintCandidate {
  readonly isAdjudicated: boolean;
  /** The calibrated probability of its answer. */
  readonly posterior: number;
  /** Independent answers, and how many of them are the task's answer. */
  readonly answers: number;
  readonly agreeing: number;
  /** Experts among them who are proven: their lower bound is at or above the project's minimum. */
  readonly proven: number;
}

const POSTERIOR_MIN = 0.98;
/** Answers without a stronger expert's. */
export const ANSWERS_MIN = 3;
const PROVEN_MIN = 2;

/**
 * Whether a finished task is good enough to become gold: adjudicated, or unanimous among three or more of whom two are
 * proven, with a calibrated posterior of at least .98. Unanimity of newcomers is not: colluders would mint their own gold.
 */
export function isMintable({ isAdjudicated, posterior, answers, agreeing, proven }: MintCandidate): boolean {
  const isConsensus = answers >= ANSWERS_MIN && agreeing === answers && proven >= PROVEN_MIN;
  return posterior >= POSTERIOR_MIN && (isAdjudicated || isConsensus);
}

/** What a pool of gold has to supply. */
export interface GoldDemand {
  /** Gold that may still be shown. */
  readonly active: number;
  /** Showings those have left before they are retired, over all of them. */
  readonly showingsLeft: number;
  /** Experts who work on the task type. */
  readonly experts: number;
  /** Gold that one expert meets within the horizon, at their present rates: mean and highest. */
  readonly perExpertMean: number;
  readonly perExpertMax: number;
}

/** Kept in hand over what is expected: rates rise after misses. */
const RESERVE = 1.5;

/**
 * How many tasks to mint so that nobody runs out within the horizon: enough different gold for the expert who meets most
 * (a gold is shown to an expert once), and enough showings for all. Running dry refuses nobody: claims then are ordinary.
 */
export function goldToMint(demand: GoldDemand, { exposuresMax }: GoldLimits = GOLD_LIMITS): number {
  const different = Math.ceil(demand.perExpertMax * RESERVE) - demand.active;
  const showings = demand.experts * demand.perExpertMean * RESERVE - demand.showingsLeft;
  return Math.max(0, different, Math.ceil(showings / exposuresMax));
}
