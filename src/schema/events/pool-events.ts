import type { PoolEvent } from '../../live/pool-events.js';
import type { LiveItem } from '../../live/subscription.js';
import * as resolvers from '../../resolvers/events.js';
import { builder } from '../builder.js';
import { SkillRef } from '../refs.js';
import { liveFields } from './live-item.js';

const PoolEventRef = builder.objectRef<LiveItem<PoolEvent>>('PoolEvent').implement({
  description: 'How a skill stands: at first, and each time it has changed by a fifth or more.',
  fields: (t) => ({
    ...liveFields(t),
    queueDepth: t.int({
      description: 'Tasks that wait for somebody.',
      resolve: ({ value }) => value.queueDepth,
    }),
    openAnswers: t.field({
      type: 'BigInt',
      description: 'Answers that these tasks still want.',
      resolve: ({ value }) => value.openAnswers,
    }),
    oldestOpenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when the oldest of them waits.',
      resolve: ({ value }) => value.oldestOpenAt,
    }),
    expertsAvailable: t.int({
      description: 'Experts who qualify for some of it and were at work in the last half hour.',
      resolve: ({ value }) => value.available,
    }),
    expertsQualified: t.int({
      description: 'Experts who qualify for some of it and are not paused, at work or not.',
      resolve: ({ value }) => value.qualified,
    }),
    capacityPerHour: t.float({
      description:
        'Answers an hour that the available experts can give (the qualified ones, where nobody is available).',
      resolve: ({ value }) => value.capacityPerHour,
    }),
    pressure: t.float({
      description: 'Hours of work that wait for each expert who is there.',
      resolve: ({ value }) => value.pressure,
    }),
    computedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was measured; null before it ever was.',
      resolve: ({ value }) => value.computedAt,
    }),
  }),
});

builder.subscriptionField('poolEvents', (t) =>
  t.field({
    type: PoolEventRef,
    description:
      'What waits in a skill and who is there for it, then each change; with cursors like `leaseEvents`.',
    authScopes: { role: ['ANALYST', 'OPERATOR'] },
    args: {
      skillId: t.arg.globalID({ required: true, for: SkillRef, description: 'Which skill.' }),
      after: t.arg.string({ required: false, description: 'Go on behind this cursor.' }),
    },
    subscribe: (_root, args, ctx) => resolvers.poolEvents(args, ctx),
    resolve: (item) => item,
  }),
);
