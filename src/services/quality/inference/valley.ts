const GOLDEN = (Math.sqrt(5) - 1) / 2;
const STEPS = 20;

/**
 * Where a function with one valley between `low` and `high` is least, to a ten-thousandth of the way between them; the ends
 * are candidates too.
 */
export function lowestPoint(cost: (x: number) => number, low: number, high: number): number {
  let [left, right] = [low, high];
  let [one, other] = [right - GOLDEN * (right - left), left + GOLDEN * (right - left)];
  let [atOne, atOther] = [cost(one), cost(other)];
  for (let step = 0; step < STEPS; step++) {
    if (atOne <= atOther) {
      [right, other, atOther] = [other, one, atOne];
      one = right - GOLDEN * (right - left);
      atOne = cost(one);
    } else {
      [left, one, atOne] = [one, other, atOther];
      other = left + GOLDEN * (right - left);
      atOther = cost(other);
    }
  }
  return [low, (left + right) / 2, high].reduce((best, x) => (cost(x) < cost(best) ? x : best));
}
