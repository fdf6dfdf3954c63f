import type { Progress } from '../../services/projects/progress.js';
import { builder } from '../builder.js';

export const ProgressRef = builder.objectRef<Omit<Progress, 'id'>>('Progress').implement({
  description: 'How far the work has come, counted when it was asked for.',
  fields: (t) => ({
    tasksTotal: t.exposeInt('tasksTotal', {
      description: 'Tasks that are claimable or were; adjudications are not among them.',
    }),
    tasksOpen: t.exposeInt('tasksOpen', {
      description: 'Tasks that want more answers; none of a cancelled project.',
    }),
    tasksDone: t.exposeInt('tasksDone', { description: 'Tasks with all the answers that they want.' }),
    tasksFlagged: t.exposeInt('tasksFlagged', {
      description: 'Tasks that experts agree cannot be answered.',
    }),
    tasksCancelled: t.exposeInt('tasksCancelled', {
      description: 'Tasks that wanted more answers when their project was cancelled.',
    }),
    adjudications: t.exposeInt('adjudications', {
      description:
        'Tasks that went to a stronger expert: as many answers more, which are paid as others are.',
    }),
    adjudicationsOpen: t.exposeInt('adjudicationsOpen', {
      description: 'Of these, those that wait for their answer.',
    }),
    answersWanted: t.exposeInt('answersWanted', { description: 'Answers that all tasks together want.' }),
    answersCounted: t.exposeInt('answersCounted', { description: 'Answers that are in.' }),
    leased: t.exposeInt('leased', { description: 'Answers that are being worked on just now.' }),
  }),
});
