/** A stated probability, 0 to 1, and whether it came true. */
export interface Stated {
  readonly probability: number;
  readonly isRight: boolean;
}

/** stated p means sigmoid(intercept + slope x logit p); plain JSON. */
export interface PlattMap {
  readonly intercept: number;
  readonly slope: number;
}

/** What is believed before any pair: the identity, with so many (squared) deviations of 1 already seen against it. */
export interface PlattPrior {
  readonly centre: PlattMap;
  readonly strength: number;
}

export const IDENTITY: PlattMap = { intercept: 0, slope: 1 };

/** A person who says "100 %" means at most this; a model likewise. */
const STATED_MIN = 0.01;
const STEPS_MAX = 50;
const PRECISION = 1e-9;
const SHARE_MIN = 1e-10;
const INTERCEPT_MAX = 50;

/** What a stated probability means under a map, within 0 and 1. */
export function applyPlatt({ intercept, slope }: PlattMap, probability: number): number {
  return sigmoid(intercept + slope * logit(probability));
}

/**
 * The map under which the pairs are most probable, pulled towards the prior's centre: Platt scaling (Platt 1999) on the
 * log-odds, by Newton's method on a strictly convex loss
 *
 *   -log likelihood + strength / 2 x ((intercept - i0)^2 + (slope - s0)^2).
 *
 * Without pairs it is the centre. The slope never turns negative: "surer" never means "less likely".
 */
export function fitPlatt(pairs: readonly Stated[], prior: PlattPrior): PlattMap {
  const points = pairs.map(({ probability, isRight }) => ({ x: logit(probability), y: isRight ? 1 : 0 }));
  let map = prior.centre;
  for (let step = 0; step < STEPS_MAX; step++) {
    const next = descend(points, map, prior);
    const moved = Math.abs(next.intercept - map.intercept) + Math.abs(next.slope - map.slope);
    map = next;
    if (moved < PRECISION) {
      break;
    }
  }
  return map.slope >= 0 ? map : fitIntercept(points, prior);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Newton's step, halved until it loses less: far from the minimum the whole step may overshoot, for ever. */
function descend(points: readonly Point[], map: PlattMap, prior: PlattPrior): PlattMap {
  const step = newtonStep(points, map, prior);
  const loss = lossOf(points, map, prior);
  for (let share = 1; share > SHARE_MIN; share /= 2) {
    const next = { intercept: map.intercept - share * step.intercept, slope: map.slope - share * step.slope };
    if (lossOf(points, next, prior) <= loss) {
      return next;
    }
  }
  return map;
}

function newtonStep(points: readonly Point[], map: PlattMap, { centre, strength }: PlattPrior): PlattMap {
  let g0 = strength * (map.intercept - centre.intercept);
  let g1 = strength * (map.slope - centre.slope);
  let h00 = strength;
  let h01 = 0;
  let h11 = strength;
  for (const { x, y } of points) {
    const p = sigmoid(map.intercept + map.slope * x);
    const w = p * (1 - p);
    g0 += p - y;
    g1 += (p - y) * x;
    h00 += w;
    h01 += w * x;
    h11 += w * x * x;
  }
  const determinant = h00 * h11 - h01 * h01;
  return { intercept: (h11 * g0 - h01 * g1) / determinant, slope: (h00 * g1 - h01 * g0) / determinant };
}

function lossOf(points: readonly Point[], map: PlattMap, { centre, strength }: PlattPrior): number {
  const pull = (map.intercept - centre.intercept) ** 2 + (map.slope - centre.slope) ** 2;
  return points.reduce(
    // log(1 + e^z) - y z, written so that no exponential overflows.
    (sum, { x, y }) => {
      const z = map.intercept + map.slope * x;
      return sum + Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - y * z;
    },
    (strength / 2) * pull,
  );
}

/** The best map of slope 0: one probability, whatever is stated. Its loss has one minimum, where the gradient turns. */
function fitIntercept(points: readonly Point[], { centre, strength }: PlattPrior): PlattMap {
  const gradient = (intercept: number) =>
    points.reduce((sum, { y }) => sum + sigmoid(intercept) - y, 0) +
    strength * (intercept - centre.intercept);
  let [low, high] = [-INTERCEPT_MAX, INTERCEPT_MAX];
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    [low, high] = gradient(middle) > 0 ? [low, middle] : [middle, high];
  }
  return { intercept: (low + high) / 2, slope: 0 };
}

/** The probability of log-odds. */
export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** The log-odds of a probability, which is taken between .01 and .99. */
export function logit(probability: number): number {
  const p = Math.min(1 - STATED_MIN, Math.max(STATED_MIN, probability));
  return Math.log(p / (1 - p));
}
