import type { ProjectProgress } from '../../live/project-progress.js';
import { MoneyRef } from '../platform/money.js';
import { ProjectStateEnum } from '../projects/project-summary.js';
import { ProgressRef } from '../tasks/progress.js';
import { liveField, liveType, projectArgs } from './live-field.js';

const ProjectProgressRef = liveType<ProjectProgress>('ProjectProgress', {
  description: 'How far a project has come.',
  fields: (t) => ({
    state: t.field({
      type: ProjectStateEnum,
      description: 'Whether it gives out work.',
      resolve: ({ value }) => value.state,
    }),
    progress: t.field({
      type: ProgressRef,
      description: 'Its tasks and answers, counted.',
      resolve: ({ value }) => value.progress,
    }),
    spent: t.field({
      type: MoneyRef,
      description: 'What its answers have cost.',
      resolve: ({ value }) => value.spent,
    }),
  }),
});

liveField('projectProgress', {
  type: ProjectProgressRef,
  description:
    'How far a project has come, then each change, at most a few a second; with cursors like `leaseEvents`.',
  roles: ['CUSTOMER', 'ANALYST', 'OPERATOR'],
  args: projectArgs,
  open: (live, viewer, { projectId, after }) =>
    live.projectProgress(viewer, { projectId: projectId.id, after }),
});
