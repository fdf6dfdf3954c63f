import * as resolvers from '../../resolvers/quality.js';
import type { PairAgreement } from '../../services/quality/reads/pair-agreement.js';
import { builder } from '../builder.js';
import { ExpertRef, ProjectRef } from '../refs.js';

const PairAgreementRef = builder.objectRef<PairAgreement>('PairAgreement').implement({
  description: 'How far two experts agree beyond chance in one dimension.',
  fields: (t) => ({
    dimension: t.exposeString('dimension', { description: 'Which dimension.' }),
    experts: t.field({
      type: [ExpertRef],
      description: 'The two.',
      resolve: async ({ one, other }, _args, { load }) =>
        (await Promise.all([load.expert.load(one), load.expert.load(other)])).filter(
          (expert) => expert !== null,
        ),
    }),
    tasks: t.exposeInt('tasks', { description: 'Tasks that both have answered, of the latest 5,000.' }),
    kappa: t.exposeFloat('kappa', {
      description: 'Cohen’s kappa: 1 where they always agree, 0 at chance, below 0 for less than that.',
    }),
    interval: t.field({
      type: ['Float'],
      nullable: true,
      description: 'kappa less and plus 1.96 standard errors; null where both always say one and the same.',
      resolve: ({ interval }) => (interval === null ? null : [...interval]),
    }),
  }),
});

/** Reads thousands of rows. */
const COST = 200;

builder.queryField('pairAgreement', (t) =>
  t.field({
    type: [PairAgreementRef],
    nullable: true,
    description:
      'Pairs of experts with the most tasks of a project in common, at most 100. Agreement moves nobody’s score: those who collude agree.',
    authScopes: { role: ['ANALYST', 'OPERATOR'] },
    complexity: { field: COST, multiplier: 10 },
    args: { projectId: t.arg.globalID({ required: true, for: ProjectRef, description: 'Which project.' }) },
    resolve: (_root, { projectId }, ctx) => resolvers.pairAgreement(projectId.id, ctx),
  }),
);
