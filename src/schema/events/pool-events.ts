import type { PoolEvent } from '../../live/pool-events.js';
import { liveField, liveType, skillArgs } from './live-field.js';

const PoolEventRef = liveType<PoolEvent>('PoolEvent', {
  description: 'How a skill stands: at first, and each time it has changed by a fifth or more.',
  fields: (t) => ({
    queueDepth: t.int({
      description: 'Tasks that wait for somebody.',
      resolve: ({ value }) => value.queueDepth,
    }),
    openAnswers: t.field({
      type: 'BigInt',
      description: 'Answers to them that can be given now.',
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

liveField('poolEvents', {
  type: PoolEventRef,
  description:
    'What waits in a skill and who is there for it, then each change; with cursors like `leaseEvents`.',
  roles: ['ANALYST', 'OPERATOR'],
  args: skillArgs,
  open: (live, viewer, { skillId, after }) => live.poolEvents(viewer, { skillId: skillId.id, after }),
});
