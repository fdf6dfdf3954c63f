import type { QueueDepth } from '../../live/queue-depth.js';
import { liveField, liveType, skillArgs } from './live-field.js';

const QueueDepthRef = liveType<QueueDepth>('QueueDepth', {
  description: 'What waits in a skill: at first, and each time it has changed by a fifth or more.',
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
    computedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was measured; null before it ever was.',
      resolve: ({ value }) => value.computedAt,
    }),
  }),
});

liveField('queueDepth', {
  type: QueueDepthRef,
  description:
    'What waits in a skill, then each change; with cursors like `leaseEvents`. Who is there for it, `poolEvents` tells.',
  roles: ['ANALYST', 'OPERATOR'],
  args: skillArgs,
  open: (live, viewer, { skillId, after }) => live.queueDepth(viewer, { skillId: skillId.id, after }),
});
