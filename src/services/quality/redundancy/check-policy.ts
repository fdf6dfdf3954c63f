import { InputInvalidError, type InputIssue } from '../../access/errors.js';
import { ANSWERS_MAX, type RedundancyPolicy } from './policy.js';

const isCount = (n: number, min: number) => Number.isInteger(n) && n >= min && n <= ANSWERS_MAX;

/** Throws InputInvalidError where no task can want so many answers. */
export function checkAnswers(answers: number, path: string): void {
  if (!isCount(answers, 1)) {
    throw new InputInvalidError([{ path, message: `Give a whole number from 1 to ${ANSWERS_MAX}.` }]);
  }
}

/** Throws InputInvalidError with every fault of a policy; paths are relative to it. */
export function checkPolicy(policy: RedundancyPolicy): void {
  const issues = rulesOf(policy)
    .filter(([ok]) => !ok)
    .map(([, path, message]): InputIssue => ({ path, message }));
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
}

type Rule = readonly [ok: boolean, path: string, message: string];

function rulesOf(policy: RedundancyPolicy): Rule[] {
  switch (policy.kind) {
    case 'FIXED':
      return [
        [isCount(policy.answers, 1), '/fixed/answers', `Give a whole number from 1 to ${ANSWERS_MAX}.`],
      ];
    case 'AGREE':
      return [
        [isCount(policy.agree, 2), '/agree/agree', `Give a whole number from 2 to ${ANSWERS_MAX}.`],
        [
          isCount(policy.max, Math.max(2, policy.agree)),
          '/agree/max',
          'Give at least as many as must agree, at most 100.',
        ],
      ];
    case 'POSTERIOR':
      return [
        [
          policy.posterior >= 0.5 && policy.posterior <= 0.999,
          '/posterior/posterior',
          'Give a probability from 0.5 to 0.999.',
        ],
        [isCount(policy.min, 2), '/posterior/min', 'Give at least 2, so that nobody’s word is taken alone.'],
        [
          isCount(policy.max, Math.max(2, policy.min)),
          '/posterior/max',
          'Give at least the minimum, at most 100.',
        ],
        [
          policy.price === null || (policy.price.error >= 0 && policy.price.answer >= 0),
          '/posterior/errorCost',
          'Give an amount of at least 0.',
        ],
      ];
  }
}
