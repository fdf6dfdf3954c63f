/** One number that was answered, and how far its expert's answers scatter around the truth. */
export interface NumberVote {
  readonly value: number;
  /** The scale of Student's t with 4 degrees of freedom, in the unit of the answers; above 0. */
  readonly scatter: number;
}

/** What the answers to one task say of one number. */
export interface NumberConsensus {
  /** The likeliest truth. */
  readonly value: number;
  /** That the truth is within the tolerance of it. */
  readonly probability: number;
  /** The root of the mean squared distance of the truth from it. */
  readonly deviation: number;
}

/** The tails of Student's distribution, as in inference/numeric.ts: one slip of a good expert moves little. */
const FREEDOM = 4;
const ACCURACY_MIN = 0.01;
/** Places looked at around each answer: probabilities are good to .005. */
const PLACES = 24;
/** Steps towards the likeliest value, and across the tolerance. */
const STEPS = 30;
const SLICES = 64;
/** Digits kept of a value, below the tolerance's first. */
const DIGITS = 6;
const ROUNDING = 1e-9;

/**
 * The scatter of an expert whose answers are within the tolerance of the truth with probability `accuracy`: what gold
 * measures is P(|error| <= tolerance) = accuracy, so tolerance / scatter is the quantile of |t|. For 4 degrees of freedom it
 * has a closed form (Shaw 2006, "Sampling Student's T distribution", section 3.4):
 *
 *   t(a) = 2 sqrt(cos(asin(a) / 3) / sqrt(1 - a^2) - 1)
 */
export function scatterOf(accuracy: number, tolerance: number): number {
  const a = Math.min(1 - ACCURACY_MIN, Math.max(ACCURACY_MIN, accuracy));
  return tolerance / quantile(a);
}

/** Below this the absolute value of Student's t, 4 degrees of freedom, is with probability a. */
const quantile = (a: number) => 2 * Math.sqrt(Math.cos(Math.asin(a) / 3) / Math.sqrt(1 - a * a) - 1);

/**
 * The model of inference/numeric.ts for one task whose experts are known: answer = truth + error, errors of the expert's
 * own scatter and with heavy tails, every truth equally likely beforehand:
 *
 *   p(z | answers) ~ product over answers of t4((answer - z) / scatter) / scatter.
 *
 * The value is where that is greatest (Lange, Little & Taylor 1989: the mean of the answers, weighed by 5 / (4 + off^2) and
 * one over the squared scatter, until it stays). Two camps far apart are two peaks: the probability is that of the one.
 * Of peaks as high the lowest. Throws no error; needs an answer at least and a tolerance above 0.
 */
export function numberConsensus(votes: readonly NumberVote[], tolerance: number): NumberConsensus {
  const value = likeliest(votes, tolerance);
  return { value: rounded(value, tolerance), ...around(votes, tolerance, value) };
}

/** P(the truth is within the tolerance of `centre`), and how far from it the truth is: see numberConsensus. */
export function around(
  votes: readonly NumberVote[],
  tolerance: number,
  centre: number,
): { probability: number; deviation: number } {
  const nodes = nodesOf(votes).map((node) => ({ ...node, log: logDensity(votes, node.place) }));
  const most = Math.max(...nodes.map(({ log }) => log));
  let [all, squares, inside] = [0, 0, 0];
  for (const { place, width, log } of nodes) {
    all += width * Math.exp(log - most);
    squares += width * Math.exp(log - most) * (place - centre) ** 2;
  }
  for (let slice = 0; slice <= SLICES; slice++) {
    const z = centre + tolerance * ((2 * slice) / SLICES - 1);
    const weight = slice === 0 || slice === SLICES ? 0.5 : 1;
    inside += weight * Math.exp(logDensity(votes, z) - most) * ((2 * tolerance) / SLICES);
  }
  return { probability: Math.min(1, inside / all), deviation: Math.sqrt(squares / all) };
}

/** The largest number of answers of which each two are within the tolerance of one another. */
export interface Cluster {
  readonly votes: number;
  /** The mean of the answers that lead. */
  readonly value: number;
  /** Another cluster, of other answers, is as large. */
  readonly isTied: boolean;
}

/** The largest cluster of some numbers, at least one. A difference that is the tolerance but for rounding is within it. */
export function largestCluster(values: readonly number[], tolerance: number): Cluster {
  const isWithin = (from: number, value: number) =>
    value >= from && value - from <= tolerance * (1 + ROUNDING) + 1e-12 * Math.abs(from);
  const sizes = values.map((from) => values.filter((value) => isWithin(from, value)).length);
  const votes = Math.max(...sizes);
  const starts = values.filter((_, index) => sizes[index] === votes);
  const members = values.filter((value) => starts.some((from) => isWithin(from, value)));
  const [first, last] = [Math.min(...starts), Math.max(...starts)];
  return {
    votes,
    value: members.reduce((sum, value) => sum + value, 0) / members.length,
    isTied: !isWithin(first, last),
  };
}

/** A value without the digits that mean nothing beside the tolerance. */
export function rounded(value: number, tolerance: number): number {
  return Number(value.toFixed(Math.min(100, Math.max(0, DIGITS - Math.floor(Math.log10(tolerance))))));
}

function likeliest(votes: readonly NumberVote[], tolerance: number): number {
  const places = nodesOf(votes).map(({ place }) => ({ place, log: logDensity(votes, place) }));
  const most = Math.max(...places.map(({ log }) => log));
  let best = Math.min(...places.filter(({ log }) => log >= most - ROUNDING).map(({ place }) => place));
  for (
    let [step, moved] = [0, Number.POSITIVE_INFINITY];
    step < STEPS && moved > ROUNDING * tolerance;
    step++
  ) {
    const next = weighedMean(votes, best);
    [best, moved] = [next, Math.abs(next - best)];
  }
  return best;
}

function weighedMean(votes: readonly NumberVote[], z: number): number {
  let [sum, weights] = [0, 0];
  for (const { value, scatter } of votes) {
    const weight = (FREEDOM + 1) / (FREEDOM + ((value - z) / scatter) ** 2) / scatter ** 2;
    sum += weight * value;
    weights += weight;
  }
  return sum / weights;
}

/** From twenty scatters below the lowest answer to twenty above the highest, the denser the nearer to an answer. */
const placesOf = (votes: readonly NumberVote[]): number[] =>
  votes
    .flatMap(({ value, scatter }) =>
      Array.from(
        { length: PLACES },
        (_, place) => value + scatter * Math.tan(((place + 0.5) / PLACES - 0.5) * Math.PI),
      ),
    )
    .sort((a, b) => a - b);

/** Where the density is looked at for an integral over all truths, and how much each place weighs: Simpson's rule from place to place. */
function nodesOf(votes: readonly NumberVote[]): { place: number; width: number }[] {
  const places = placesOf(votes);
  const gap = (at: number) => (places[at] ?? Number.NaN) - (places[at - 1] ?? Number.NaN) || 0;
  return places.flatMap((place, at) => [
    { place: place - gap(at) / 2, width: (gap(at) * 4) / 6 },
    { place, width: (gap(at) + gap(at + 1)) / 6 },
  ]);
}

/** Without its constant, which every answer has. */
const density = ({ value, scatter }: NumberVote, z: number) =>
  (1 + ((value - z) / scatter) ** 2 / FREEDOM) ** (-(FREEDOM + 1) / 2) / scatter;

const logDensity = (votes: readonly NumberVote[], z: number) =>
  votes.reduce((sum, vote) => sum + Math.log(density(vote, z)), 0);
