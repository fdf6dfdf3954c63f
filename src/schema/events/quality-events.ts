import type { QualityEvent } from '../../live/quality-events.js';
import * as resolvers from '../../resolvers/events.js';
import { builder } from '../builder.js';
import { PhaseEnum } from '../quality/expert-quality.js';
import { FindingKindEnum } from '../quality/findings.js';
import { ProjectRef } from '../refs.js';
import { liveField, liveType } from './live-field.js';

const QualityEventKindEnum = builder.enumType('QualityEventKind', {
  description: 'What can be heard of quality.',
  values: {
    CURRENT: { description: 'Not a change: the present state has been told, changes follow.' },
    STANDING: { description: 'An expert stands differently in a skill; at the start, how they stand.' },
    BELOW_BAR: {
      description:
        'All that there is to do in a skill asks for more than an expert is taken for, as is in effect; at the start, where it is so. They need do nothing but come back: see `ExpertQuality.belowBars`.',
    },
    BAR_REACHED: { description: 'It does so no longer.' },
    FINDING: { description: 'The watch found something.' },
    GOLD_ENDED: { description: 'A gold is given to nobody any more.' },
    GOLD_SET_ASIDE: {
      description: 'Gold of a project is unlike its tasks, and given to nobody (`gold(isAside: true)`).',
    },
    ADJUDICATION: { description: 'A task goes to a further, stronger expert.' },
    ADJUDICATIONS_WAIT: { description: 'Adjudications of a project wait: no expert may take them.' },
    ADJUDICATIONS_GO_ON: { description: 'Somebody may take them again, or none waits.' },
  } as const,
});

const QualityEventRef = liveType<QualityEvent>('QualityEvent', {
  description: 'What became of quality. What a kind has nothing to say of is null.',
  fields: (t) => ({
    kind: t.field({
      type: QualityEventKindEnum,
      description: 'What happened.',
      resolve: ({ value }) => value.kind,
    }),
    expertId: t.id({
      nullable: true,
      description: 'Whose standing it is, or who is below a bar.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Expert', value.expertId),
    }),
    skillId: t.id({
      nullable: true,
      description: 'In which skill.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Skill', value.skillId),
    }),
    projectId: t.id({
      nullable: true,
      description: 'In which project.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Project', value.projectId),
    }),
    taskId: t.id({
      nullable: true,
      description: 'Which task or gold.',
      resolve: ({ value }, _args, ctx) => resolvers.idOf(ctx, 'Task', value.taskId),
    }),
    phase: t.field({
      type: PhaseEnum,
      nullable: true,
      description: 'Of STANDING: what it became.',
      resolve: ({ value }) => value.phase,
    }),
    finding: t.field({
      type: FindingKindEnum,
      nullable: true,
      description: 'Of FINDING: what was found.',
      resolve: ({ value }) => value.finding,
    }),
    reason: t.string({ nullable: true, description: 'Why.', resolve: ({ value }) => value.reason }),
    at: t.field({ type: 'DateTime', nullable: true, description: 'When.', resolve: ({ value }) => value.at }),
  }),
});

liveField('qualityEvents', {
  type: QualityEventRef,
  description:
    'What becomes of quality: an expert’s own standing, and whether they are below all bars of a skill; what of a customer’s project goes to adjudication; to staff all of it, or of one project. With cursors like `leaseEvents`.',
  roles: ['EXPERT', 'CUSTOMER', 'ANALYST', 'OPERATOR'],
  args: builder.args((t) => ({
    projectId: t.globalID({
      required: false,
      for: ProjectRef,
      description: 'Which project; a customer must say, staff may.',
    }),
  })),
  open: (live, viewer, { projectId, after }) =>
    live.qualityEvents(viewer, { projectId: projectId?.id ?? null, after }),
});
