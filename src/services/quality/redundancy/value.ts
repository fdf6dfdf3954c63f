/** Who would answer, and how often at most. */
export interface Further {
  /** P(answer = truth) of the next expert, the errors spread evenly. */
  readonly accuracy: number;
  readonly answersMax: number;
}

/** Classes looked at: the most probable; what is left hardly ever wins. */
const CLASSES_MAX = 4;
/** Answers looked ahead. */
const AHEAD_MAX = 5;

/**
 * What one further answer is expected to add to the probability of being right: the best, over k = 1 up to `answersMax`
 * (five at most), of (E[max posterior after k answers] - max posterior now) / k. Times the cost of an error it is what an
 * answer is worth.
 *
 * Looking only one answer ahead would say 0 wherever no single answer can overturn the result, though two could. Errors
 * are spread over all classes, as in posterior.ts; what falls on classes that are not looked at says nothing of the others.
 */
export function gainOfMore(posterior: readonly number[], { accuracy, answersMax }: Further): number {
  const likeliest = mostProbableOnes(posterior);
  const now = Math.max(...likeliest);
  let best = 0;
  for (let k = 1; k <= Math.min(answersMax, AHEAD_MAX); k++) {
    const among = { accuracy, classes: posterior.length };
    best = Math.max(best, (expectedMaximum(likeliest, among, k) - now) / k);
  }
  return best;
}

/** How the next expert answers, among how many classes: as many as the posterior has, or more. */
export interface Among {
  readonly accuracy: number;
  readonly classes: number;
}

/**
 * E[max posterior] after k answers: the sum over their possible counts of max over z of P(z) P(counts | z). Where there are more classes
 * than the posterior has, answers that name one of those are counted together.
 */
export function expectedMaximum(
  posterior: readonly number[],
  { accuracy, classes }: Among,
  k: number,
): number {
  const wrong = (1 - accuracy) / (classes - 1);
  const others = classes - posterior.length;
  let total = 0;
  for (const counts of compositions(k, posterior.length + (others > 0 ? 1 : 0))) {
    const ways = multinomial(counts) * others ** (counts[posterior.length] ?? 0);
    const joint = posterior.map((p, z) => p * accuracy ** (counts[z] ?? 0) * wrong ** (k - (counts[z] ?? 0)));
    total += ways * Math.max(...joint);
  }
  return total;
}

function mostProbableOnes(posterior: readonly number[]): number[] {
  const some = [...posterior].sort((a, b) => b - a).slice(0, CLASSES_MAX);
  const total = some.reduce((sum, p) => sum + p, 0);
  return some.map((p) => p / total);
}

/** Every way to spread `k` answers over so many classes. */
function* compositions(k: number, classes: number): Iterable<number[]> {
  if (classes === 1) {
    yield [k];
    return;
  }
  for (let first = 0; first <= k; first++) {
    for (const rest of compositions(k - first, classes - 1)) {
      yield [first, ...rest];
    }
  }
}

function multinomial(counts: readonly number[]): number {
  let ways = 1;
  let n = 0;
  for (const count of counts) {
    for (let i = 1; i <= count; i++) {
      n++;
      ways *= n / i;
    }
  }
  return ways;
}
