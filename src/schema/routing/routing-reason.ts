import { explanationOf, type RoutingShape } from '../../resolvers/routing-reason.js';
import { builder } from '../builder.js';

const RoutingReasonEnum = builder.enumType('RoutingReason', {
  description: 'What made the difference when a task was chosen for an expert.',
  values: {
    RESERVED: { description: 'It is reserved for experts who were chosen for it.' },
    BEGUN: {
      description:
        'It was begun or given back, and wants an answer still. Told to staff; an expert sees NEXT.',
    },
    SCARCE_SKILL: { description: 'Its skill is the shortest of the expert’s.' },
    PREFERRED: { description: 'The expert prefers its skill, and no other was much shorter.' },
    DEADLINE: { description: 'Its project was moved forward to make a deadline.' },
    NEXT: { description: 'It was next in the fair order of its skill.' },
  } as const,
});

export const RoutingRef = builder.objectRef<RoutingShape>('AssignmentRouting').implement({
  description:
    'Why a task was given to its expert. Written down with each claim: a task that is claimed again is given for a new reason.',
  fields: (t) => ({
    reason: t.field({
      type: RoutingReasonEnum,
      description: 'What made the difference.',
      resolve: ({ reason }) => reason,
    }),
    explanation: t.string({
      description: 'The same in a sentence that can be shown to the expert.',
      resolve: explanationOf,
    }),
    pressure: t.float({
      nullable: true,
      description:
        'Hours of work that waited in the skill for each expert who was there to do it, in its most pressed lane (the skill with the same requirements) that the expert has. Not told to experts.',
      authScopes: { role: ['ANALYST', 'OPERATOR'] },
      resolve: ({ pressure }) => pressure,
    }),
  }),
});
