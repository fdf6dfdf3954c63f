/** What was observed: two logarithms that are known in advance, and the one that was not. */
export interface Point {
  readonly x: readonly [number, number];
  readonly y: number;
}

/** A line fitted to points. */
export interface Line {
  /** The value at x, and by how much the residuals are to be stretched there: it is known less well far from the points. */
  at(x: readonly [number, number]): { readonly centre: number; readonly stretch: number };
  /** How far a point lies above the line, as if the line had been fitted without it. */
  residual(point: Point, place: number): number;
}

/** Where there is nothing to tell them apart both count alike: the geometric mean of the two. */
const PRIOR_SLOPES = [0.5, 0.5] as const;
/**
 * How strongly slopes keep to the prior: as if that many points with a standard deviation of one in each logarithm had said so.
 * Batches of one project hardly differ in size; what they then seem to say of slopes is chance.
 */
const PRIOR_STRENGTH = 6;
/** Of a point that all but decides the line by itself the residual is not blown up beyond this. */
const LEVERAGE_MAX = 0.7;

/**
 * Ridge regression toward prior slopes (Hoerl & Kennard 1970), with weights that fall by `freshness` from the last point to the
 * one before it. At least one point.
 */
export function fitLine(points: readonly Point[], freshness: number): Line {
  const weights = points.map((_, place) => freshness ** (points.length - 1 - place));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = (of: (point: Point) => number) =>
    points.reduce((sum, point, place) => sum + (weights[place] ?? 0) * of(point), 0) / whole;
  const centre = [mean(({ x }) => x[0]), mean(({ x }) => x[1])] as const;
  const off = (x: Point['x']): Point['x'] => [x[0] - centre[0], x[1] - centre[1]];
  const rest = ({ x, y }: Point) => y - PRIOR_SLOPES[0] * x[0] - PRIOR_SLOPES[1] * x[1];
  const level = mean(rest);
  const sum = (of: (x: Point['x'], point: Point) => number) =>
    whole * mean((point) => of(off(point.x), point));
  const inverse = inverseOf([
    sum((x) => x[0] * x[0]) + PRIOR_STRENGTH,
    sum((x) => x[0] * x[1]),
    sum((x) => x[1] * x[1]) + PRIOR_STRENGTH,
  ]);
  const pull: Point['x'] = [
    sum((x, point) => x[0] * (rest(point) - level)),
    sum((x, point) => x[1] * (rest(point) - level)),
  ];
  const beyond = (x: Point['x']) => product(off(x), inverse, pull);
  const leverage = (x: Point['x']) => 1 / whole + product(off(x), inverse, off(x));
  return {
    at: (x) => ({
      centre: level + PRIOR_SLOPES[0] * x[0] + PRIOR_SLOPES[1] * x[1] + beyond(x),
      stretch: Math.sqrt(1 + leverage(x)),
    }),
    residual: (point, place) =>
      (rest(point) - level - beyond(point.x)) /
      (1 - Math.min(LEVERAGE_MAX, (weights[place] ?? 0) * leverage(point.x))),
  };
}

/** A symmetric matrix: first, mixed, second. */
type Symmetric = readonly [number, number, number];

function inverseOf([a, b, c]: Symmetric): Symmetric {
  const determinant = a * c - b * b;
  return [c / determinant, -b / determinant, a / determinant];
}

const product = (one: Point['x'], [a, b, c]: Symmetric, other: Point['x']): number =>
  one[0] * (a * other[0] + b * other[1]) + one[1] * (b * other[0] + c * other[1]);
