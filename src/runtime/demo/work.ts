import type { InlineTask } from '../../services/projects/batches.js';

/** One project of the demo, with what it asks. */
export interface DemoProject {
  readonly name: string;
  readonly skill: string;
  readonly taskType: string;
  readonly priceMinor: bigint;
  readonly redundancy: number;
  readonly minQuality: number;
  readonly batches: readonly { readonly name: string; readonly tasks: readonly InlineTask[] }[];
}

export const DEMO_SKILLS = ['Arithmetic', 'English'] as const;

/** One task type of each kind. */
export const DEMO_TASK_TYPES: readonly { name: string; instructions: string; definition: object }[] = [
  {
    name: 'Is the answer right?',
    instructions:
      'Check the pupil’s result. Say `right`, `wrong`, or `unclear` where the exercise cannot be read.',
    definition: {
      kind: 'SINGLE_CHOICE',
      options: [
        { value: 'right', label: 'Right' },
        { value: 'wrong', label: 'Wrong' },
        { value: 'unclear', label: 'Cannot be told' },
      ],
    },
  },
  {
    name: 'Which summary is better?',
    instructions:
      'Read the text, then both summaries. The better one says what matters, and nothing that is not there.',
    definition: { kind: 'PAIRWISE', allowTie: true },
  },
  {
    name: 'Grade a short explanation',
    instructions: 'Score how correct and how clear the explanation is, each from 1 to 5.',
    definition: {
      kind: 'RUBRIC',
      criteria: [
        { name: 'correctness', label: 'Is it true?', min: 1, max: 5 },
        { name: 'clarity', label: 'Would a pupil understand it?', min: 1, max: 5 },
      ],
    },
  },
  {
    name: 'Correct a sentence',
    instructions: 'Write the sentence without mistakes, and say how many you found.',
    definition: {
      kind: 'FREE_FORM',
      schema: {
        type: 'object',
        properties: {
          corrected: { type: 'string', minLength: 1, maxLength: 500 },
          mistakes: { type: 'integer', minimum: 0, maximum: 50 },
        },
        required: ['corrected', 'mistakes'],
        additionalProperties: false,
      },
      dimensions: [{ name: 'mistakes', pointer: '/mistakes', scale: 'interval' }],
    },
  },
];

const exercise = (question: string, result: string): InlineTask => ({
  externalId: question,
  payload: { exercise: question, pupilWrote: result },
});

const summaries = (text: string, left: string, right: string): InlineTask => ({
  payload: { text, left, right },
});

export const DEMO_PROJECTS: readonly DemoProject[] = [
  {
    name: 'Homework: arithmetic',
    skill: 'Arithmetic',
    taskType: 'Is the answer right?',
    priceMinor: 12n,
    redundancy: 2,
    minQuality: 0,
    batches: [
      {
        name: 'Monday',
        tasks: [
          exercise('7 × 8', '56'),
          exercise('144 ÷ 12', '14'),
          exercise('19 + 24', '43'),
          exercise('1/2 + 1/3', '2/5'),
          exercise('15 % of 80', '12'),
          exercise('3² + 4²', '25'),
        ],
      },
      {
        name: 'Tuesday',
        tasks: [exercise('81 − 27', '54'), exercise('6 × 0.25', '1.25'), exercise('√169', '13')],
      },
    ],
  },
  {
    name: 'Summaries, side by side',
    skill: 'English',
    taskType: 'Which summary is better?',
    priceMinor: 35n,
    redundancy: 1,
    minQuality: 0.5,
    batches: [
      {
        name: 'News in brief',
        tasks: [
          summaries(
            'The library will open on Sundays from May. The council voted for it after 2,300 residents signed a petition. Two librarians will be hired.',
            'After a petition of 2,300 residents the library opens on Sundays from May, with two new librarians.',
            'The library closes on Sundays. Residents are unhappy.',
          ),
          summaries(
            'Rain delayed the start of the race by an hour. Maria Lind won in 2:31:07, eleven seconds ahead of last year’s winner.',
            'Maria Lind won the race in 2:31:07.',
            'Maria Lind won the race, which began an hour late because of rain, by eleven seconds in 2:31:07.',
          ),
          summaries(
            'The bakery uses flour from three mills. Since the mill in Orr burnt down in March, bread has cost ten cents more.',
            'A fire at a mill in March made the bakery’s bread ten cents dearer.',
            'The bakery raised its prices by ten percent.',
          ),
        ],
      },
    ],
  },
];
