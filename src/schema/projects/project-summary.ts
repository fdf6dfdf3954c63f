import type { Project } from '../../generated/prisma/client.js';
import { builder } from '../builder.js';
import { TaskTypeRef } from '../refs.js';

export const ProjectStateEnum = builder.enumType('ProjectState', {
  description: 'Whether a project gives out work.',
  values: {
    RUNNING: { description: 'Its tasks can be claimed.' },
    CANCELLED: { description: 'Nothing of it can be claimed any more; what was submitted is paid.' },
  } as const,
});

/** A project as an expert sees it: nothing of whose it is, how much of it there is, or how it is checked. */
export const ProjectSummaryRef = builder.objectRef<Project>('ProjectSummary').implement({
  description: 'What somebody who works on a project needs to know of it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'How the customer calls it.' }),
    state: t.field({
      type: ProjectStateEnum,
      description: 'Whether it gives out work.',
      resolve: ({ state }) => state as 'RUNNING' | 'CANCELLED',
    }),
    taskType: t.field({
      type: TaskTypeRef,
      nullable: true,
      description: 'What form an answer has.',
      resolve: ({ taskTypeId }, _args, { load }) => load.taskType.load(taskTypeId),
    }),
    leaseSeconds: t.exposeInt('leaseSeconds', { description: 'How long one lease is.' }),
  }),
});
