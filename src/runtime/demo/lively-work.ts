import { randomOf } from '../../services/platform/random.js';

/** The skills of the lively tenant: the last one is rare. */
export const LIVELY_SKILLS = ['English', 'Arithmetic', 'Customer care', 'German', 'Contract law'] as const;
export type LivelySkill = (typeof LIVELY_SKILLS)[number];

/** One item of a project: what is shown, and what is right. */
export interface LivelyItem {
  readonly externalId: string;
  readonly contentType: 'application/json' | 'text/markdown';
  readonly payload: unknown;
}

/** What an item is made of. */
interface Draw {
  readonly right: number;
  readonly n: number;
  readonly random: () => number;
}

/** A kind of work of the lively tenant. */
export interface LivelyKind {
  /** First part of the names of its items. */
  readonly key: string;
  readonly project: string;
  readonly skill: LivelySkill;
  readonly instructions: string;
  readonly taskType: string;
  readonly definition: object;
  /** What may be right, each as an answer. */
  readonly answers: readonly object[];
  /** An item whose right answer is `answers[right]`; its number makes its payload unlike any other. */
  readonly item: (draw: Draw) => Pick<LivelyItem, 'contentType' | 'payload'>;
  readonly priceMinor: bigint;
  readonly redundancy: number;
  readonly weight: number;
  /** Items of the first batches, the last of them large. */
  readonly batches: readonly number[];
  /** How long a batch may take, in minutes from its upload. */
  readonly deadlineMinutes: number;
}

const json = (payload: unknown) => ({ contentType: 'application/json' as const, payload });
const whole = (random: () => number, max: number) => 2 + Math.floor(random() * max);
const pick = <T>(values: readonly [T, ...T[]], random: () => number): T =>
  values[Math.floor(random() * values.length)] ?? values[0];

const CLAUSES = [
  'The supplier delivers within thirty days of the order.',
  'Invoices are payable within fourteen days.',
  'Notices are given in writing to the address above.',
  'The goods remain the supplier’s until they are paid for.',
  'Each party keeps what it learns of the other to itself.',
  'Changes of this agreement need the written form.',
] as const;
const ENDINGS = [
  'Either party may end this agreement with three months’ notice.',
  'This agreement ends with the last delivery, and cannot be ended before.',
] as const;

/** A contract of several sections; only one sentence of it decides. */
function contract({ right, n, random }: Draw): string {
  const sections = Array.from({ length: 6 }, (_, section) => {
    const clauses = Array.from({ length: 3 }, () => pick(CLAUSES, random));
    return `## ${section + 1}.\n\n${clauses.join(' ')}${section === 4 ? ` **${ENDINGS[right]}**` : ''}`;
  });
  return `# Supply agreement no. ${n}\n\n${sections.join('\n\n')}\n`;
}

const MISTAKES = [
  ['Der Zug fährt um acht Uhr ab.', 0],
  ['Der Zug fahrt um acht Uhr ab.', 1],
  ['Der Zug fahrt um acht uhr ab.', 2],
] as const;

/** All of the tenant's work. Items of one name are always the same, with the same right answer. */
export const LIVELY_KINDS: readonly LivelyKind[] = [
  {
    key: 'pairs',
    project: 'Model answers, side by side',
    skill: 'English',
    taskType: 'Which answer helps more?',
    instructions:
      'Read the question, then both answers. The better one is **true**, and says no more than it must.',
    definition: { kind: 'PAIRWISE', allowTie: true },
    answers: [{ preference: 'LEFT' }, { preference: 'RIGHT' }],
    item: ({ right, n, random }) => {
      const [a, b] = [whole(random, 40), whole(random, 40)];
      const good = `${a} km and ${b} km are ${a + b} km together.`;
      const bad = `${a} km and ${b} km are ${a + b + 1 + Math.floor(random() * 9)} km together, more or less.`;
      const question = `Trip ${n}: how far is it, if the first leg has ${a} km and the second ${b} km?`;
      return json({ text: question, left: right === 0 ? good : bad, right: right === 0 ? bad : good });
    },
    priceMinor: 22n,
    redundancy: 2,
    weight: 20,
    batches: [24, 24, 24, 24, 24, 1_500],
    deadlineMinutes: 480,
  },
  {
    key: 'sums',
    project: 'Homework: arithmetic',
    skill: 'Arithmetic',
    taskType: 'Is the result right?',
    instructions: 'Check the pupil’s result. Say `right` or `wrong`.',
    definition: {
      kind: 'SINGLE_CHOICE',
      options: [
        { value: 'right', label: 'Right' },
        { value: 'wrong', label: 'Wrong' },
        { value: 'unclear', label: 'Cannot be told' },
      ],
    },
    answers: [{ choice: 'right' }, { choice: 'wrong' }],
    item: ({ right, n, random }) => {
      const [a, b] = [whole(random, 18), whole(random, 18)];
      const off = right === 0 ? 0 : 1 + Math.floor(random() * 5);
      return json({ sheet: n, exercise: `${a} × ${b}`, pupilWrote: String(a * b + off) });
    },
    priceMinor: 9n,
    redundancy: 2,
    weight: 10,
    batches: [30, 30, 30, 30, 30, 1_200],
    deadlineMinutes: 600,
  },
  {
    key: 'replies',
    project: 'Support replies, by rubric',
    skill: 'Customer care',
    taskType: 'Grade a reply to a customer',
    instructions:
      'Score how correct and how kind the reply is, each from 1 to 5. Notes help whoever reads them.',
    definition: {
      kind: 'RUBRIC',
      criteria: [
        { name: 'correct', label: 'Is it correct?', min: 1, max: 5 },
        { name: 'kind', label: 'Is it kind?', min: 1, max: 5 },
      ],
    },
    answers: [
      { scores: { correct: 5, kind: 4 } },
      { scores: { correct: 2, kind: 4 } },
      { scores: { correct: 4, kind: 1 } },
    ],
    item: ({ right, n, random }) => {
      const days = whole(random, 20);
      const replies = [
        `Thank you for asking. A return is free for thirty days, and you bought it ${days} days ago.`,
        'Thank you for asking. Returns are not free, I am afraid.',
        `Read the terms. You have ${30 - days} days left.`,
      ];
      const conversation = [
        { from: 'customer', text: `I bought a lamp ${days} days ago. Can I send it back for free?` },
        { from: 'agent', text: replies[right] },
      ];
      return json({ ticket: n, conversation, policy: 'Returns are free for thirty days.' });
    },
    priceMinor: 45n,
    redundancy: 2,
    weight: 10,
    batches: [16, 16, 16, 16, 16, 900],
    deadlineMinutes: 150,
  },
  {
    key: 'mistakes',
    project: 'German sentences',
    skill: 'German',
    taskType: 'Count the mistakes',
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
    answers: MISTAKES.map(([, mistakes]) => ({ corrected: MISTAKES[0][0], mistakes })),
    item: ({ right, n }) => json({ sheet: n, sentence: (MISTAKES[right] ?? MISTAKES[0])[0] }),
    priceMinor: 18n,
    redundancy: 2,
    weight: 10,
    batches: [20, 20, 20, 20, 20, 300],
    deadlineMinutes: 720,
  },
  {
    key: 'contracts',
    project: 'Contracts: can they be ended?',
    skill: 'Contract law',
    taskType: 'Can it be ended early?',
    instructions: 'Read the agreement. Say whether either party can end it before the last delivery.',
    definition: {
      kind: 'SINGLE_CHOICE',
      options: [
        { value: 'yes', label: 'Yes, with notice' },
        { value: 'no', label: 'No' },
      ],
    },
    answers: [{ choice: 'yes' }, { choice: 'no' }],
    item: (draw) => ({ contentType: 'text/markdown', payload: contract(draw) }),
    priceMinor: 180n,
    redundancy: 2,
    weight: 10,
    batches: [4, 4, 4, 4, 4, 400],
    deadlineMinutes: 40,
  },
];

/** The truth of an item stands in its name: who knows the tenant's work knows it, experts of flesh do not. */
export function rightAnswerOf(kind: LivelyKind, externalId: string): number {
  return Math.floor(randomOf(0, `right ${externalId}`)() * kind.answers.length);
}

/** The kind of work that an item is of; null for what is none of the tenant's. */
export function kindOf(externalId: string): LivelyKind | null {
  return LIVELY_KINDS.find(({ key }) => externalId.startsWith(`${key}-`)) ?? null;
}

/** Item number `n` of a kind. */
function itemOf(kind: LivelyKind, n: number): LivelyItem {
  const externalId = `${kind.key}-${String(n).padStart(6, '0')}`;
  return {
    externalId,
    ...kind.item({ right: rightAnswerOf(kind, externalId), n, random: randomOf(0, externalId) }),
  };
}

/** Every so many numbers one is gold, and never a task: gold has names like all other items. */
const GOLD_EVERY = 17;
/** Numbers that a batch has for its items; more than it has items. */
const NUMBERS_OF_BATCH = 10_000;

/** The items of batch number `batch` (from 0) of a kind. */
export function itemsOf(kind: LivelyKind, batch: number, count: number): LivelyItem[] {
  const numbers = Array.from({ length: count * 2 + 2 }, (_, i) => batch * NUMBERS_OF_BATCH + i + 1);
  return numbers
    .filter((n) => n % GOLD_EVERY !== 0)
    .slice(0, count)
    .map((n) => itemOf(kind, n));
}

/** Gold of a kind: items whose right answer is known. */
export function goldOf(kind: LivelyKind, count: number): (LivelyItem & { readonly answer: object })[] {
  return Array.from({ length: count }, (_, i) => {
    const item = itemOf(kind, (i + 1) * GOLD_EVERY);
    return { ...item, answer: kind.answers[rightAnswerOf(kind, item.externalId)] ?? {} };
  });
}
