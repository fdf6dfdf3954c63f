import type { GoldWarning } from '../../services/quality/gold/warnings.js';
import { builder } from '../builder.js';
import { GoldRef } from './gold.js';

const GoldWarningKindEnum = builder.enumType('GoldWarningKind', {
  description: 'What is to be said of gold that was taken.',
  values: {
    NO_TASKS: {
      description:
        'The project has no tasks yet. Gold that looks otherwise than they will is set aside when they come; what only lacks a name is given one.',
    },
    NAME: { description: 'Set aside: `externalId` is like that of no task.' },
    CONTENT_TYPE: { description: 'Set aside: no task has its media type.' },
    SIZE: { description: 'Set aside: its payload is far shorter or longer than those of tasks.' },
  } as const,
});

/** Something to be said of gold that was taken. */
export const GoldWarningRef = builder.objectRef<GoldWarning>('GoldWarning').implement({
  description: 'Something to be said of gold that was taken.',
  fields: (t) => ({
    kind: t.field({ type: GoldWarningKindEnum, description: 'What.', resolve: ({ kind }) => kind }),
    message: t.exposeString('message', { description: 'In a sentence, with what can be done.' }),
    golds: t.field({ type: [GoldRef], description: 'Of which.', resolve: ({ golds }) => [...golds] }),
  }),
});
