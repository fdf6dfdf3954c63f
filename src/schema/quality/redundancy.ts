import * as resolvers from '../../resolvers/quality.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { ProjectNotRunningError } from '../../services/projects/errors.js';
import { builder } from '../builder.js';
import { ProjectRef } from '../refs.js';

const FixedInput = builder.inputType('FixedRedundancyInput', {
  description: 'Always so many answers.',
  fields: (t) => ({ answers: t.int({ required: true, description: '1 to 100.' }) }),
});

const PlainInput = builder.inputType('PlainRedundancyInput', {
  description: 'No rule: tasks that are added get so many answers and are done with them, whatever they say.',
  fields: (t) => ({ answers: t.int({ required: true, description: '1 to 100.' }) }),
});

const AgreeInput = builder.inputType('AgreeRedundancyInput', {
  description: 'Until some agree: “two agree, else a third” is 2 and 3.',
  fields: (t) => ({
    agree: t.int({ required: true, description: 'How many must give the same answer, 2 to 100.' }),
    max: t.int({ required: true, description: 'Answers at most, to 100.' }),
  }),
});

const PosteriorInput = builder.inputType('PosteriorRedundancyInput', {
  description:
    'Until the most probable answer is as probable as asked, by what is known of those who answered.',
  fields: (t) => ({
    posterior: t.float({ required: true, description: '0.5 to 0.999.' }),
    min: t.int({ required: true, description: 'Answers at least, from 2.' }),
    max: t.int({ required: true, description: 'Answers at most, to 100.' }),
    errorCost: t.field({
      type: 'BigInt',
      required: false,
      description:
        'What a wrong result costs, in minor units of the project’s currency: an answer that saves less than its price is not bought (default: buy up to the maximum).',
    }),
  }),
});

export const SetRedundancyInput = builder.inputType('SetRedundancyInput', {
  description:
    'What `setRedundancy` changes: the rule by one of `fixed`, `agree`, `posterior`, `plain`; without them it stays as it was, and only `isCritical`, `firstGoldMax` or `auditShare` change.',
  fields: (t) => ({
    projectId: t.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
    fixed: t.field({ type: FixedInput, required: false, description: 'Always so many.' }),
    agree: t.field({ type: AgreeInput, required: false, description: 'Until some agree.' }),
    posterior: t.field({ type: PosteriorInput, required: false, description: 'Until it is sure enough.' }),
    plain: t.field({
      type: PlainInput,
      required: false,
      description: 'No rule any more, which has to be said: nothing is judged, and nothing adjudicated.',
    }),
    isCritical: t.boolean({
      required: false,
      description:
        'Whatever the rule says, no task has fewer than three answers or more than five (default: as it was). Not with `plain`.',
    }),
    firstGoldMax: t.int({
      required: false,
      description:
        'While the project has no gold, at most so many of its first tasks are drawn to go to a stronger expert when they are done, to make the first: adjudications, which you pay for as for others. 0 to 20, at first 20; 0: none, and gold is made by hand or from unanimous tasks. By default as before.',
    }),
    auditShare: t.float({
      required: false,
      description:
        'The share of finished tasks that go to a stronger expert all the same, drawn whatever their answers say: adjudications, which you pay for as for others. Those whose answers are at odds go in any case, and count as drawn if they are. How sure results are is held to what they say, from fifty decided ones on to that alone. 0 to 0.2, at first 0; under a redundancy policy only. By default as before.',
    }),
  }),
});

builder.objectFields(ProjectRef, (t) => ({
  firstGoldMax: t.exposeInt('firstGoldMax', {
    description:
      'Finished tasks that may go to a stronger expert, at its customer’s cost, while the project has no gold to measure experts by; only under a redundancy policy. See `setRedundancy`.',
  }),
  auditShare: t.exposeFloat('auditShare', {
    description:
      'The share of finished tasks that are drawn for a stronger expert, at its customer’s cost, so that how sure results are is held to the truth. See `setRedundancy`.',
  }),
}));

const SetRedundancyPayload = builder.objectRef<{ projectId: bigint }>('SetRedundancyPayload').implement({
  description: 'What `setRedundancy` did.',
  fields: (t) => ({
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'The project as it is now.',
      resolve: ({ projectId }, _args, { load }) => load.project.load(projectId),
    }),
  }),
});

builder.mutationField('setRedundancy', (t) =>
  t.field({
    type: SetRedundancyPayload,
    nullable: true,
    description:
      'Sets how many answers a project’s tasks get. Each task is judged when it has all that it wanted: it is done, wants more, or goes to a stronger expert who has not seen it. What a task wants is never lowered. Tasks reserved for named experts go on as far as their list reaches.',
    authScopes: { role: ['CUSTOMER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError, ProjectNotRunningError] },
    args: { input: t.arg({ type: SetRedundancyInput, required: true, description: 'The rule.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setRedundancy(input, ctx),
  }),
);
