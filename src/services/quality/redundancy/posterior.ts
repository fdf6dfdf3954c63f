/** How an expert answers: a probability to be right, and where there is enough, a row of answers for each true class. */
export interface WorkerModel {
  /** P(answer = truth), the errors spread evenly over the other classes. */
  readonly accuracy: number;
  /** P(answer | truth) in the order of the classes; null: `accuracy` is all that is known. */
  readonly confusion: readonly (readonly number[])[] | null;
}

/** One answer: the index of its class, and who gave it. */
export interface Vote {
  readonly label: number;
  readonly model: WorkerModel;
}

/** No model is so good or so bad that one answer decides alone. */
const PROBABILITY_MIN = 0.01;

/**
 * P(class | answers), in the order of `prior`, P(class) before any answer:
 *
 *   P(z | answers) ~ prior(z) x product over answers of P(answer | z).
 *
 * With the one-number model and a uniform prior this is Toloka's formula ("Dynamic overlap" in their docs). The order of
 * answers does not matter. It takes errors for independent and so claims too much on hard items: stopping.ts holds it to
 * what was revealed.
 */
export function posterior(votes: readonly Vote[], prior: readonly number[]): number[] {
  const logs = prior.map((p, truth) =>
    votes.reduce(
      (sum, vote) => sum + Math.log(likelihood(vote, truth, prior.length)),
      Math.log(Math.max(p, Number.MIN_VALUE)),
    ),
  );
  return normalised(logs);
}

/** P(this answer | truth), kept away from 0 and 1. */
export function likelihood({ label, model }: Vote, truth: number, classes: number): number {
  const known = model.confusion?.[truth]?.[label];
  const right = Math.min(1 - PROBABILITY_MIN, Math.max(PROBABILITY_MIN, model.accuracy));
  const p = known ?? (label === truth ? right : (1 - right) / (classes - 1));
  return Math.max(PROBABILITY_MIN / classes, p);
}

/** The most probable class and its probability; of equals the first. */
export function mostProbable(probabilities: readonly number[]): { label: number; probability: number } {
  const probability = Math.max(...probabilities);
  return { label: probabilities.indexOf(probability), probability };
}

function normalised(logs: readonly number[]): number[] {
  const most = Math.max(...logs);
  const values = logs.map((log) => Math.exp(log - most));
  const total = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / total);
}
