import type { InputIssue } from '../access/errors.js';
import type { KeyValue } from '../quality/gold/golds.js';
import type { AnswerValue } from '../tasks/answers.js';
import { TOLERANCE_MAX } from '../tasks/tolerances.js';

/** How far off numbers of a gold's answer may be and still be right, by dimension. */
export type Tolerances = readonly { readonly dimension: string; readonly tolerance: number }[];

/** A value of a key with the tolerance that was given for it, if any. */
export function withTolerance(value: AnswerValue, tolerances: Tolerances): KeyValue {
  const given = tolerances.find(({ dimension }) => dimension === value.dimension);
  return given === undefined ? value : { ...value, tolerance: given.tolerance };
}

interface Answered {
  readonly path: string;
  /** Dimensions on an interval scale. */
  readonly numbers: readonly string[];
  readonly values: readonly AnswerValue[];
}

/** What is wrong with the tolerances that were given: each must be of a number of the answer, and within bounds. */
export function toleranceIssues(tolerances: Tolerances, { path, numbers, values }: Answered): InputIssue[] {
  return tolerances.flatMap(({ dimension, tolerance }, i) => {
    const isNumber = numbers.includes(dimension) && values.some((value) => value.dimension === dimension);
    return [
      ...(isNumber
        ? []
        : [{ path: `${path}/${i}/dimension`, message: 'Name a number of the answer on an interval scale.' }]),
      ...(tolerance >= 0 && tolerance <= TOLERANCE_MAX
        ? []
        : [{ path: `${path}/${i}/tolerance`, message: `Give a number from 0 to ${TOLERANCE_MAX}.` }]),
    ];
  });
}
