import { AnswerInvalidError } from '../../../src/services/tasks/answer-errors.js';
import { type CompiledTaskType, compileTaskType } from '../../../src/services/tasks/task-types.js';

let nextId = 0n;
function rulesOf({ answerSchema, dimensions }: CompiledTaskType) {
  nextId += 1n;
  return {
    id: nextId,
    version: 1,
    answerSchema: JSON.stringify(answerSchema),
    dimensions: JSON.stringify(dimensions),
  };
}
export const rulesFor = (definition: unknown) => rulesOf(compileTaskType(definition));

export function issuesOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof AnswerInvalidError) {
      return error.issues;
    }
    throw error;
  }
  return [];
}

export const choice = rulesFor({
  kind: 'SINGLE_CHOICE',
  options: [{ value: 'cat' }, { value: 'dog', label: 'Dog' }],
});
export const pairwise = rulesFor({ kind: 'PAIRWISE' });
export const strictPair = rulesFor({ kind: 'PAIRWISE', allowTie: false });
export const rubric = rulesFor({
  kind: 'RUBRIC',
  criteria: [
    { name: 'clarity', min: 1, max: 5 },
    { name: 'a/b~c', min: 0, max: 1, step: 0.1, scale: 'interval' },
  ],
});
export const freeForm = rulesFor({
  kind: 'FREE_FORM',
  schema: {
    type: 'object',
    properties: {
      verdict: { type: 'string', pattern: '^[a-z]+$' },
      severity: { enum: ['low', 'medium', 'high'] },
      spans: {
        type: 'array',
        items: { type: 'object', required: ['start'], properties: { start: { type: 'integer' } } },
      },
      extra: true,
    },
    required: ['verdict'],
  },
  dimensions: [
    { name: 'verdict', pointer: '/verdict', scale: 'nominal' },
    { name: 'severity', pointer: '/severity', scale: 'ordinal', values: ['low', 'medium', 'high'] },
    { name: 'extra', pointer: '/extra', scale: 'interval' },
  ],
});
