import * as resolvers from '../../resolvers/findings.js';
import { pageOf } from '../../resolvers/paging.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { FindingDismissedError } from '../../services/quality/errors.js';
import type { Finding, Undone } from '../../services/quality/watching/findings.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { DomainErrorRef } from '../platform/domain-error.js';
import { ExpertRef, ProjectRef, TaskRef } from '../refs.js';

export const FindingKindEnum = builder.enumType('QualityFindingKind', {
  description: 'What the watch over gold and experts found.',
  values: {
    LEAKED: { description: 'A gold that seems to be known: retired, and later answers to it do not count.' },
    UNHEALTHY: { description: 'A gold whose key seems wrong: suspended, nothing that it graded counts.' },
    QUICK_ON_GOLD: {
      description:
        'An expert who is quicker on gold than on other work, as who knows it. What they knew is retired and says nothing of them.',
    },
    SLOW_ON_GOLD: {
      description: 'An expert who takes longer on gold than on other work, as who can tell it.',
    },
    PEER_GAP: {
      description:
        'An expert who is better on gold than their agreement with others says. Moves no score: agreement alone never does.',
    },
    SHARED_ERRORS: {
      description: 'Experts who give the same wrong answers more often than their errors explain.',
    },
  } as const,
});

const FigureRef = builder.objectRef<Finding['figures'][number]>('FindingFigure').implement({
  description: 'A number that a finding rests on.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is.' }),
    value: t.exposeFloat('value', { description: 'How much.' }),
  }),
});

const DecisionEnum = builder.enumType('FindingDecisionKind', {
  description: 'What was decided about a finding.',
  values: {
    DISMISSED: { description: 'It means nothing; it is not told again.' },
    PAUSED: { description: 'An expert was paused because of it.' },
  } as const,
});

const DecisionRef = builder.objectRef<Finding['decisions'][number]>('FindingDecision').implement({
  description: 'What a human decided about a finding.',
  fields: (t) => ({
    decision: t.field({
      type: DecisionEnum,
      description: 'What was decided.',
      resolve: ({ decision }) => decision,
    }),
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Who was paused.',
      resolve: ({ expertId }, _args, { load }) => (expertId === null ? null : load.expert.load(expertId)),
    }),
    reason: t.exposeString('reason', { description: 'Why.' }),
    decidedAt: t.field({ type: 'DateTime', description: 'When.', resolve: ({ decidedAt }) => decidedAt }),
  }),
});

const FindingRef = builder.objectRef<Finding>('QualityFinding').implement({
  description:
    'What the watch found of gold or of experts: a reading of numbers, not a judgement. Nobody who may act as an expert sees it.',
  fields: (t) => ({
    id: t.id({
      description: 'For `dismissFinding` and `pauseFromFinding`.',
      resolve: ({ id }, _args, { app }) => app.ids.encode('QualityFinding', id),
    }),
    kind: t.field({ type: FindingKindEnum, description: 'What was found.', resolve: ({ kind }) => kind }),
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'In whose work.',
      resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
    }),
    gold: t.field({
      type: TaskRef,
      nullable: true,
      description: 'The gold; null with findings about experts.',
      resolve: ({ taskId }, _args, { load }) => (taskId === null ? null : load.task.load(taskId)),
    }),
    experts: t.field({
      type: [ExpertRef],
      description: 'The experts whom it is about.',
      complexity: { field: 1, multiplier: 5 },
      resolve: async ({ experts }, _args, { load }) =>
        (await Promise.all(experts.map((id) => load.expert.load(id)))).filter((expert) => expert !== null),
    }),
    summary: t.exposeString('summary', { description: 'What was found, in words, with the numbers.' }),
    figures: t.field({
      type: [FigureRef],
      description: 'The numbers.',
      resolve: ({ figures }) => [...figures],
    }),
    foundAt: t.field({ type: 'DateTime', description: 'When.', resolve: ({ foundAt }) => foundAt }),
    decisions: t.field({
      type: [DecisionRef],
      description: 'What humans decided about it, oldest first; none: it is open.',
      resolve: ({ decisions }) => decisions,
    }),
  }),
});

const FindingConnection = connectionOf(FindingRef, 'findings');

builder.queryField('qualityFindings', (t) =>
  t.field({
    type: FindingConnection,
    description:
      'What the watch found of gold and of experts, newest first. Refused to whoever may act as an expert.',
    authScopes: { role: ['ANALYST', 'OPERATOR'] },
    args: {
      ...connectionArgs(),
      projectId: t.arg.globalID({ required: false, for: ProjectRef, description: 'In whose work.' }),
      expertId: t.arg.globalID({ required: false, for: ExpertRef, description: 'Whom it is about.' }),
      isOpen: t.arg.boolean({
        required: false,
        description: 'true: those that nobody has decided about; false: the others.',
      }),
    },
    complexity: connectionCost,
    resolve: (_root, { projectId, expertId, isOpen, ...args }, ctx) => {
      const filter = {
        projectId: projectId?.id ?? null,
        expertId: expertId?.id ?? null,
        isOpen: isOpen ?? null,
      };
      return pageOf(args, { ctx, type: 'QualityFinding' }, (page) => resolvers.findings(filter, page, ctx));
    },
  }),
);

const DismissFindingPayload = builder
  .objectRef<{ findingId: bigint } & Undone>('DismissFindingPayload')
  .implement({
    description: 'What `dismissFinding` did.',
    fields: (t) => ({
      finding: t.field({
        type: FindingRef,
        nullable: true,
        description: 'The finding.',
        resolve: ({ findingId }, _args, ctx) => resolvers.finding(findingId, ctx),
      }),
      goldResumed: t.exposeBoolean('goldResumed', {
        description: 'Whether a gold that was suspended because of it is given again.',
      }),
      resultsRestored: t.exposeInt('resultsRestored', {
        description:
          'Results that counted no longer because of it and count again, by dimension; scores fold anew. Of who adjudicated much the rest follows within minutes.',
      }),
      pausesLifted: t.exposeInt('pausesLifted', {
        description: 'Pauses that were made from it (`pauseFromFinding`), still stood, and are lifted.',
      }),
      remains: t.exposeString('remains', {
        nullable: true,
        description: 'What followed from it and stays as it is, and why; null: nothing.',
      }),
    }),
  });

const findingPayload = (name: string, mutation: string) =>
  builder.objectRef<{ findingId: bigint }>(name).implement({
    description: `What \`${mutation}\` did.`,
    fields: (t) => ({
      finding: t.field({
        type: FindingRef,
        nullable: true,
        description: 'The finding.',
        resolve: ({ findingId }, _args, ctx) => resolvers.finding(findingId, ctx),
      }),
    }),
  });

export const DismissFindingInput = builder.inputType('DismissFindingInput', {
  description: 'What `dismissFinding` needs.',
  fields: (t) => ({
    findingId: t.id({ required: true, description: 'The finding.' }),
    reason: t.string({ required: true, description: 'Why it means nothing; 1 to 500 characters, kept.' }),
  }),
});

builder.mutationField('dismissFinding', (t) =>
  t.field({
    type: DismissFindingPayload,
    nullable: true,
    description:
      'Says that a finding means nothing. It stays on record and is not told again; what followed from it is taken back, as far as that is right.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [InputInvalidError, NotFoundError] },
    args: { input: t.arg({ type: DismissFindingInput, required: true, description: 'Which, and why.' }) },
    resolve: (_root, { input }, ctx) => resolvers.dismissFinding(input, ctx),
  }),
);

builder.objectType(FindingDismissedError, {
  name: 'FindingDismissedError',
  description: 'Somebody has said that the finding means nothing: nobody is paused because of it.',
  interfaces: [DomainErrorRef],
});

export const PauseFromFindingInput = builder.inputType('PauseFromFindingInput', {
  description: 'What `pauseFromFinding` needs.',
  fields: (t) => ({
    findingId: t.id({ required: true, description: 'The finding.' }),
    expertId: t.globalID({ required: true, for: ExpertRef, description: 'One of its experts.' }),
    reason: t.string({
      required: true,
      description: 'Why; 1 to 500 characters, kept with the pause too. The expert does not read it.',
    }),
    withdrawHeld: t.boolean({
      required: false,
      description: 'Ends what they hold at once: for fraud (default: false).',
    }),
  }),
});

builder.mutationField('pauseFromFinding', (t) =>
  t.field({
    type: findingPayload('PauseFromFindingPayload', 'pauseFromFinding'),
    nullable: true,
    description:
      'Pauses an expert whom a finding names, for the skill of its project, as `pauseExpert` does; a human resumes them. What they have adjudicated in it by then grades nobody any more, unless the finding is dismissed.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [FindingDismissedError, InputInvalidError, NotFoundError] },
    args: { input: t.arg({ type: PauseFromFindingInput, required: true, description: 'Whom, and why.' }) },
    resolve: (_root, { input }, ctx) => resolvers.pauseFromFinding(input, ctx),
  }),
);
