import type { AdjudicationWait } from '../../services/projects/progress.js';
import { builder } from '../builder.js';

const WaitReasonEnum = builder.enumType('AdjudicationWaitReason', {
  description: 'Why adjudications wait.',
  values: {
    NOBODY_REACHES_THE_BAR: {
      description:
        'No expert who has not had the task is good enough to judge others: it waits until one is, or until somebody vouches for one.',
    },
  } as const,
});

export const AdjudicationWaitRef = builder.objectRef<AdjudicationWait>('AdjudicationWait').implement({
  description: 'Adjudications that wait although experts could be asking for work.',
  fields: (t) => ({
    reason: t.field({
      type: WaitReasonEnum,
      description: 'Why.',
      resolve: () => 'NOBODY_REACHES_THE_BAR' as const,
    }),
    tasks: t.exposeInt('tasks', { description: 'How many of the project.' }),
    minQuality: t.exposeFloat('minQuality', { description: 'Proven quality that is asked for, 0 to 1.' }),
    since: t.field({ type: 'DateTime', description: 'Since when.', resolve: ({ since }) => since }),
  }),
});
