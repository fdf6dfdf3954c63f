import { regularisedBeta } from '../../platform/beta.js';

/** What one strong expert answered a gold; strong: their lower bound is at or above the bar. */
export interface StrongAnswer {
  readonly label: string;
}

export type HealthReason = 'STRONG_EXPERTS_MISS' | 'ANOTHER_ANSWER_PREVAILS';

export interface HealthFinding {
  readonly reason: HealthReason;
  readonly answers: number;
  readonly right: number;
  /** The answer that most gave; the key's rival. */
  readonly modal: string;
  /** How sure it is: P(strong experts' accuracy on it < .5), or P(the rival is given more often than the key). */
  readonly probability: number;
}

const ANSWERS_MIN = 8;
const SURE = 0.9;

/**
 * Whether a gold is wrong or hopeless: at least eight strong experts have answered, and with probability .9 either fewer
 * than half of them would be right, or another answer is given more often than the key. Then it is suspended and the scores
 * that used it are folded again.
 *
 * Only strong experts count: that weak ones miss a gold is what it is for. A gold that strong experts get right in .8 of
 * cases is suspended in less than 1 of 200 lives of forty answers (simulated); a wrong key that .8 of them contradict, by
 * the tenth answer in four of five cases and by the twentieth in 95 of 100.
 */
export function findUnhealthy(answers: readonly StrongAnswer[], key: string): HealthFinding | null {
  if (answers.length < ANSWERS_MIN) {
    return null;
  }
  const right = answers.filter(({ label }) => label === key).length;
  const [modal, votes] = mostGiven(answers.filter(({ label }) => label !== key));
  const found = { answers: answers.length, right, modal: votes > right ? modal : key };
  const missed = belowHalf(right, answers.length - right);
  if (missed > SURE) {
    return { ...found, reason: 'STRONG_EXPERTS_MISS', probability: missed };
  }
  const beaten = belowHalf(right, votes);
  return beaten > SURE ? { ...found, reason: 'ANOTHER_ANSWER_PREVAILS', probability: beaten } : null;
}

/** P(p < .5) after so many successes and failures, from a uniform prior. */
function belowHalf(successes: number, failures: number): number {
  return regularisedBeta(0.5, successes + 1, failures + 1);
}

function mostGiven(answers: readonly StrongAnswer[]): [string, number] {
  const votes = new Map<string, number>();
  for (const { label } of answers) {
    votes.set(label, (votes.get(label) ?? 0) + 1);
  }
  return [...votes].reduce<[string, number]>((most, next) => (next[1] > most[1] ? next : most), ['', 0]);
}
