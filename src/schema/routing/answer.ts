import type { Answer } from '../../generated/prisma/client.js';
import { builder } from '../builder.js';
import { ExpertRef, TaskRef } from '../refs.js';

export const AnswerRef = builder.objectRef<Answer>('Answer').implement({
  description: 'One answer, stored once and never changed.',
  fields: (t) => ({
    assignmentId: t.id({
      description: 'The assignment that it answers.',
      resolve: ({ assignmentId }, _args, { app }) => app.ids.encode('Assignment', assignmentId),
    }),
    task: t.field({
      type: TaskRef,
      nullable: true,
      description: 'The task that it answers.',
      resolve: ({ taskId }, _args, { load }) => load.task.load(taskId),
    }),
    body: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The answer itself.',
      resolve: ({ body }) => JSON.parse(body) as unknown,
    }),
    digest: t.exposeString('digest', {
      description: 'SHA-256 of the answer’s canonical form (RFC 8785), in hex; the receipt has the same.',
    }),
    confidence: t.exposeFloat('confidence', {
      nullable: true,
      description: 'How sure the expert said they were, 0 to 1.',
    }),
    submittedAt: t.field({
      type: 'DateTime',
      description: 'When it came in.',
      resolve: (a) => a.submittedAt,
    }),
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Who answered; never shown to customers.',
      authScopes: { role: ['EXPERT', 'ANALYST', 'OPERATOR'] },
      resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
    }),
  }),
});
