import { type DoneBy, doneBy } from '../../resolvers/forecast.js';
import type { Forecast } from '../../services/forecast/forecast.js';
import { builder } from '../builder.js';

const ForecastConfidenceEnum = builder.enumType('ForecastConfidence', {
  description: 'How much a forecast is worth.',
  values: {
    LOW: {
      description: 'From too few finished batches, or of too few experts (one or two who can do it): wide.',
    },
    MEDIUM: { description: 'Learned from five finished batches or more.' },
    HIGH: { description: 'Learned from twenty finished batches or more.' },
  } as const,
});

export const DoneByRef = builder.objectRef<DoneBy>('ForecastQuantile').implement({
  description: 'A moment by which work will be done with a probability.',
  fields: (t) => ({
    probability: t.exposeFloat('probability', { description: 'How likely, 0 to 1.' }),
    at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'By when; null beyond ten years.',
      resolve: ({ at }) => at,
    }),
  }),
});

export const ForecastRef = builder.objectRef<Forecast>('Forecast').implement({
  description: 'When work will be done, as it was last computed.',
  fields: (t) => ({
    confidence: t.field({
      type: ForecastConfidenceEnum,
      description: 'How much it is worth.',
      resolve: ({ confidence }) => confidence,
    }),
    remainingAnswers: t.exposeInt('remainingAnswers', { description: 'Answers still wanted.' }),
    answersPerHour: t.exposeFloat('answersPerHour', { description: 'How fast they come in just now.' }),
    expectedDoneAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When it will be done, as likely before as after; null while nothing can be said. Of finished work: when it was.',
      resolve: ({ expectedDoneAt }) => expectedDoneAt,
    }),
    quantiles: t.field({
      type: [DoneByRef],
      description:
        'The whole of what is known: when it will be done with .05, .1, .25, .5, .75, .9 and .95. Empty while nothing can be said.',
      resolve: doneBy,
    }),
    finishedBatches: t.exposeInt('finished', {
      description:
        'Finished batches that it was learned from, of the same project or of the same customer and task type: from five on.',
    }),
    probabilityOnTime: t.exposeFloat('probabilityOnTime', {
      nullable: true,
      description: 'How likely it is done by its deadline, 0 to 1; null without a deadline.',
    }),
    computedAt: t.field({
      type: 'DateTime',
      description: 'When this was computed.',
      resolve: (f) => f.computedAt,
    }),
  }),
});
