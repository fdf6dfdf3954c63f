import * as resolvers from '../../resolvers/gold.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { ProjectNotRunningError } from '../../services/projects/errors.js';
import type { AddedGolds } from '../../services/projects/gold-intake.js';
import { GoldEndedError } from '../../services/quality/errors.js';
import { builder } from '../builder.js';
import { DomainErrorRef } from '../platform/domain-error.js';
import { ProjectRef, TaskRef } from '../refs.js';
import { GoldRef, GoldStateEnum } from './gold.js';
import { GoldWarningRef } from './gold-warnings.js';

const staff = { role: ['ANALYST', 'OPERATOR'] } as const;

const GoldToleranceInput = builder.inputType('GoldToleranceInput', {
  description: 'How far off a number may be and still be right.',
  fields: (t) => ({
    dimension: t.string({
      required: true,
      description: 'A dimension of the answer that is a number on an interval scale.',
    }),
    tolerance: t.float({ required: true, description: 'From 0, in the unit of the answers.' }),
  }),
});

builder.objectType(GoldEndedError, {
  name: 'GoldEndedError',
  description: 'The gold has ended already, in another way or for another reason; it stays as it is.',
  interfaces: [DomainErrorRef],
  fields: (t) => ({
    state: t.field({ type: GoldStateEnum, description: 'How it ended.', resolve: ({ state }) => state }),
    reason: t.exposeString('reason', { description: 'Why it ended, which it keeps.' }),
  }),
});

const NewGoldInput = builder.inputType('NewGoldInput', {
  description: 'One gold: what is shown, and what is right.',
  fields: (t) => ({
    payload: t.field({ type: 'JSON', required: true, description: 'What is shown, as of any task.' }),
    externalId: t.string({
      required: false,
      description: 'Give one where other tasks of the project have one: experts see it.',
    }),
    contentType: t.string({ required: false, description: 'Media type of the payload.' }),
    answer: t.field({
      type: 'JSON',
      required: true,
      description: 'The right answer, as an expert would send it.',
    }),
    tolerances: t.field({
      type: [GoldToleranceInput],
      required: false,
      description: 'Of its numbers (default: each dimension’s own).',
    }),
  }),
});

/** What adding gold did. */
const addedPayload = (name: string, mutation: string) =>
  builder.objectRef<AddedGolds>(name).implement({
    description: `What \`${mutation}\` did.`,
    fields: (t) => ({
      golds: t.field({
        type: [GoldRef],
        description: 'The golds, in the order given.',
        resolve: ({ taskIds }, _args, ctx) => resolvers.goldsOf(taskIds, ctx),
      }),
      warnings: t.field({
        type: [GoldWarningRef],
        description: 'Why some of them are given to nobody yet, or may not be one day; each kind once.',
        resolve: (added, _args, ctx) => resolvers.goldWarnings(added, ctx),
      }),
    }),
  });

const goldPayload = (name: string, mutation: string) =>
  builder.objectRef<{ taskIds: readonly bigint[] }>(name).implement({
    description: `What \`${mutation}\` did.`,
    fields: (t) => ({
      golds: t.field({
        type: [GoldRef],
        description: 'The golds, in the order given.',
        resolve: ({ taskIds }, _args, ctx) => resolvers.goldsOf(taskIds, ctx),
      }),
    }),
  });

export const CreateGoldInput = builder.inputType('CreateGoldInput', {
  description: 'What `createGold` needs.',
  fields: (t) => ({
    projectId: t.globalID({
      required: true,
      for: ProjectRef,
      description: 'It is used in this project only.',
    }),
    gold: t.field({ type: NewGoldInput, required: true, description: 'The gold.' }),
  }),
});

builder.mutationField('createGold', (t) =>
  t.field({
    type: addedPayload('CreateGoldPayload', 'createGold'),
    nullable: true,
    description:
      'Makes one gold by hand. The same payload again is the same gold. With another answer it is refused until that one is suspended; the corrected one is then shown to nobody who was shown the wrong one. What has ended is refused with its own answer. Refused to whoever may act as an expert.',
    authScopes: staff,
    errors: { types: [InputInvalidError, NotFoundError, ProjectNotRunningError] },
    args: { input: t.arg({ type: CreateGoldInput, required: true, description: 'The gold.' }) },
    resolve: (_root, { input }, ctx) => resolvers.createGold(input, ctx),
  }),
);

export const ImportGoldInput = builder.inputType('ImportGoldInput', {
  description: 'What `importGold` needs.',
  fields: (t) => ({
    projectId: t.globalID({
      required: true,
      for: ProjectRef,
      description: 'They are used in this project only.',
    }),
    golds: t.field({ type: [NewGoldInput], required: true, description: 'The golds, 1 to 1,000.' }),
  }),
});

builder.mutationField('importGold', (t) =>
  t.field({
    type: addedPayload('ImportGoldPayload', 'importGold'),
    nullable: true,
    description: 'Makes many golds, all of them or none. Else as `createGold`.',
    authScopes: staff,
    errors: { types: [InputInvalidError, NotFoundError, ProjectNotRunningError] },
    args: { input: t.arg({ type: ImportGoldInput, required: true, description: 'The golds.' }) },
    resolve: (_root, { input }, ctx) => resolvers.importGold(input, ctx),
  }),
);

const endInput = (name: string, mutation: string) =>
  builder.inputType(name, {
    description: `What \`${mutation}\` needs.`,
    fields: (t) => ({
      taskId: t.globalID({ required: true, for: TaskRef, description: 'The gold’s task.' }),
      reason: t.string({ required: true, description: 'Why; 1 to 500 characters, kept.' }),
    }),
  });

export const RetireGoldInput = endInput('RetireGoldInput', 'retireGold');

builder.mutationField('retireGold', (t) =>
  t.field({
    type: goldPayload('RetireGoldPayload', 'retireGold'),
    nullable: true,
    description:
      'Shows a gold to nobody more. What it graded counts. The same again changes nothing; with another reason, or of one that was suspended, it is refused.',
    authScopes: staff,
    errors: { types: [InputInvalidError, NotFoundError, GoldEndedError] },
    args: { input: t.arg({ type: RetireGoldInput, required: true, description: 'Which, and why.' }) },
    resolve: (_root, { input }, ctx) => resolvers.endGold(input, { state: 'RETIRED', ctx }),
  }),
);

const SuspendGoldInput = endInput('SuspendGoldInput', 'suspendGold');

builder.mutationField('suspendGold', (t) =>
  t.field({
    type: goldPayload('SuspendGoldPayload', 'suspendGold'),
    nullable: true,
    description:
      'Takes a gold for wrong: what it graded counts no longer, and scores are folded without it. The same again changes nothing; with another reason it is refused.',
    authScopes: staff,
    errors: { types: [InputInvalidError, NotFoundError, GoldEndedError] },
    args: { input: t.arg({ type: SuspendGoldInput, required: true, description: 'Which, and why.' }) },
    resolve: (_root, { input }, ctx) => resolvers.endGold(input, { state: 'SUSPENDED', ctx }),
  }),
);
