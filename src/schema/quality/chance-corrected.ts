import type { ChanceCorrected } from '../../services/quality/agreement/from-counts.js';
import { builder } from '../builder.js';

const NoFleissReasonEnum = builder.enumType('NoFleissReason', {
  description: 'Why there is no Fleiss’ kappa.',
  values: {
    NO_PAIRS: { description: 'No finished task has two answers.' },
    NOT_CLASSES: {
      description: 'Values are numbers, or too many, and are not counted by class: read alpha.',
    },
    UNEQUAL_ANSWERS: {
      description:
        'Tasks differ in how many answers they have, which it is not defined for: read alpha, or AC1.',
    },
  } as const,
});

export const ChanceCorrectedRef = builder.objectRef<ChanceCorrected>('ChanceCorrectedAgreement').implement({
  description:
    'Agreement beyond chance by other coefficients than alpha, over finished tasks with two answers or more: 1 where all agree, 0 at chance.',
  fields: (t) => ({
    fleissKappa: t.exposeFloat('fleissKappa', {
      nullable: true,
      description: 'Fleiss’ kappa (1971); null where `noFleissKappa` says why.',
    }),
    noFleissKappa: t.field({
      type: NoFleissReasonEnum,
      nullable: true,
      description: 'Why there is none; null where there is one.',
      resolve: ({ noFleiss }) => noFleiss,
    }),
    gwetAc1: t.exposeFloat('gwetAc1', {
      nullable: true,
      description:
        'Gwet’s AC1 (2008), which does not fall apart where nearly everything has one value; null where values are not counted by class.',
    }),
  }),
});
