import type { KeyedAnswer } from './error-models.js';
import { comparePairs, type PairCounts } from './error-pairs.js';

/** Two experts who gave the same wrong answers more often than their own errors explain. */
export interface SharedErrors extends PairCounts {
  /** About standard normal among honest pairs. */
  readonly z: number;
}

/** Experts joined by pairs that share errors. */
export interface Cluster {
  readonly experts: readonly string[];
  readonly pairs: readonly SharedErrors[];
}

/** The chance that a set of honest experts, however many, yields any pair; and any triple. */
const FALSE_ALARM = 0.005;
/** Only pairs above this are tried in triples: three of them are needed. */
const TRIPLE_PAIR_MIN = 2;
const SAME_MIN = 4;
/** An expectation below this would make two coincidences look like proof. */
const EXPECTED_MIN = 0.05;
/** Of a normal distribution, standard deviation over median absolute deviation. */
const MAD_TO_SD = 1.4826;

/**
 * Clusters of experts who share wrong answers, largest first.
 *
 * Two honest experts err alike on hard items, and when they have the same bias. So the expectation of a pair is made of each
 * one's own errors by true class, and then scaled by what all pairs together share beyond it (the difficulty of items); the
 * deviation is the signed root of the Poisson deviance, standardised by the spread it has among all pairs (an empirical
 * null: Efron 2004, "Large-scale simultaneous hypothesis testing"). A pair counts when it could hardly come up among that
 * many pairs, z > sqrt(2 ln(pairs / (2 x .005))), by the bound P(Z > z) <= exp(-z^2 / 2) / 2; so do the pairs of three experts
 * whose deviations together, (z1 + z2 + z3) / sqrt(3), could hardly come up among that many triples.
 *
 * `answers` have a key: gold, adjudicated, or agreed by others. Where colluders are the majority of every item, agreement
 * is theirs, and only gold and adjudication can tell.
 */
export function findSharedErrors(answers: readonly KeyedAnswer[]): Cluster[] {
  const pairs = comparePairs(answers);
  // What suspects share must not be taken for the difficulty of items, so the null is taken once more without them.
  const first = new Set(suspects(standardise(pairs, pairs)).map(idOf));
  const honest = pairs.filter((pair) => !first.has(idOf(pair)));
  return joined(suspects(standardise(pairs, honest)));
}

function suspects(pairs: readonly SharedErrors[]): SharedErrors[] {
  const candidates = pairs.filter(({ same, z }) => same >= SAME_MIN && z > TRIPLE_PAIR_MIN);
  const zMin = zAmong(pairs.length);
  const inTriple = pairsInTriples(candidates, zAmong(triples(pairs)));
  return candidates.filter((pair) => pair.z > zMin || inTriple.has(idOf(pair)));
}

/** The z that is above all of so many, up to the chance of a false alarm. */
function zAmong(count: number): number {
  return Math.sqrt(2 * Math.log(Math.max(1, count / (2 * FALSE_ALARM))));
}

/** At most so many triples could have been compared. */
function triples(pairs: readonly SharedErrors[]): number {
  const experts = new Set(pairs.flatMap((pair) => pair.experts)).size;
  return (experts * (experts - 1) * (experts - 2)) / 6;
}

function pairsInTriples(pairs: readonly SharedErrors[], zMin: number): Set<string> {
  const partners = new Map<string, Map<string, SharedErrors>>();
  for (const pair of pairs) {
    const [one, other] = pair.experts;
    partners.set(one, (partners.get(one) ?? new Map()).set(other, pair));
    partners.set(other, (partners.get(other) ?? new Map()).set(one, pair));
  }
  const found = new Set<string>();
  for (const pair of pairs) {
    const [one, other] = pair.experts;
    for (const [third, side] of partners.get(one) ?? []) {
      const opposite = partners.get(other)?.get(third);
      if (opposite && (pair.z + side.z + opposite.z) / Math.sqrt(3) > zMin) {
        found.add(idOf(pair)).add(idOf(side)).add(idOf(opposite));
      }
    }
  }
  return found;
}

const idOf = ({ experts }: PairCounts) => JSON.stringify(experts);

function standardise(pairs: readonly PairCounts[], honest: readonly PairCounts[]): SharedErrors[] {
  const factor = Math.max(1, total(honest, 'same') / Math.max(EXPECTED_MIN, total(honest, 'expected')));
  const deviations = pairs.map((pair) => deviation(pair, factor));
  const centre = median(honest.map((pair) => deviation(pair, factor)));
  const spread = median(honest.map((pair) => Math.abs(deviation(pair, factor) - centre)));
  const scale = Math.max(1, spread * MAD_TO_SD);
  return pairs.map((pair, i) => ({
    ...pair,
    expected: pair.expected * factor,
    z: ((deviations[i] ?? 0) - Math.max(0, centre)) / scale,
  }));
}

/** The signed root of the deviance of a Poisson count. */
function deviation({ same, expected }: PairCounts, factor: number): number {
  const mean = Math.max(EXPECTED_MIN, expected * factor);
  const half = (same === 0 ? 0 : same * Math.log(same / mean)) - (same - mean);
  return Math.sign(same - mean) * Math.sqrt(2 * Math.max(0, half));
}

/** Joins pairs that have an expert in common. */
function joined(pairs: readonly SharedErrors[]): Cluster[] {
  let clusters: { experts: Set<string>; pairs: SharedErrors[] }[] = [];
  for (const pair of pairs) {
    const touched = clusters.filter(({ experts }) => pair.experts.some((expert) => experts.has(expert)));
    const merged = {
      experts: new Set([...pair.experts, ...touched.flatMap(({ experts }) => [...experts])]),
      pairs: [...touched.flatMap((cluster) => cluster.pairs), pair],
    };
    clusters = [...clusters.filter((cluster) => !touched.includes(cluster)), merged];
  }
  return clusters
    .map((cluster) => ({ experts: [...cluster.experts].sort(), pairs: cluster.pairs }))
    .sort((a, b) => b.experts.length - a.experts.length);
}

function total(pairs: readonly PairCounts[], of: 'same' | 'expected'): number {
  return pairs.reduce((sum, pair) => sum + pair[of], 0);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
