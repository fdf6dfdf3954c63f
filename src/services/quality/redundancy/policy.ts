/**
 * How many answers a task gets; one per project, kept as JSON.
 *
 * FIXED: so many. AGREE: until `agree` give the same answer, at most `max` ("two agree, else a third" is 2 of 3).
 * POSTERIOR: until the most probable answer is as probable as asked, at least `min` and at most `max`.
 */
export type RedundancyPolicy =
  | { readonly kind: 'FIXED'; readonly answers: number }
  | { readonly kind: 'AGREE'; readonly agree: number; readonly max: number }
  | {
      readonly kind: 'POSTERIOR';
      readonly posterior: number;
      /** Two or more, so that nobody's word is taken alone. */
      readonly min: number;
      readonly max: number;
      /** What an answer costs and what a wrong result costs, in the same unit; null: buy up to the maximum. */
      readonly price: { readonly answer: number; readonly error: number } | null;
    };

const CRITICAL_MIN = 3;
const CRITICAL_MAX = 5;

/** As many answers as a task can want, by its project or for itself. */
export const ANSWERS_MAX = 100;

/** So many answers, held to what a critical task gets: three to five. */
export const criticalAnswers = (answers: number): number =>
  Math.min(CRITICAL_MAX, Math.max(CRITICAL_MIN, answers));

/** The policy of a critical task: the project's own, held to three to five answers. */
export function forCritical(policy: RedundancyPolicy): RedundancyPolicy {
  switch (policy.kind) {
    case 'FIXED':
      return { ...policy, answers: criticalAnswers(policy.answers) };
    case 'AGREE':
      return {
        ...policy,
        agree: criticalAnswers(policy.agree),
        max: CRITICAL_MAX,
      };
    case 'POSTERIOR':
      return {
        ...policy,
        min: criticalAnswers(policy.min),
        max: Math.max(criticalAnswers(policy.min), criticalAnswers(policy.max)),
      };
  }
}

/** The answers that a task is opened with: fewer are never enough. */
export function answersAtFirst(policy: RedundancyPolicy): number {
  switch (policy.kind) {
    case 'FIXED':
      return policy.answers;
    case 'AGREE':
      return policy.agree;
    case 'POSTERIOR':
      return policy.min;
  }
}

/** The answers that a task never exceeds; past them it is adjudicated. */
export function answersAtMost(policy: RedundancyPolicy): number {
  return policy.kind === 'FIXED' ? policy.answers : policy.max;
}
