import type { BurnUpPoint } from '../../services/forecast/history/burn-up.js';
import { builder } from '../builder.js';
import { BatchRef } from '../refs.js';

const BurnUpPointRef = builder.objectRef<BurnUpPoint>('BurnUpPoint').implement({
  description: 'How many answers of a batch were in at a moment.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => at }),
    answers: t.exposeInt('answers', { description: 'Answers that were in.' }),
  }),
});

/** A batch has no more points than twentieths. */
const POINTS = 20;

builder.objectField(BatchRef, 'burnUp', (t) =>
  t.field({
    type: [BurnUpPointRef],
    description:
      'How it has come to where it is, oldest first: as it was first seen past each twentieth of its answers, and its end; at most twenty points.',
    complexity: POINTS,
    resolve: ({ id }, _args, { load }) => load.burnUp.load(id),
  }),
);
