import type { Forecast } from '../../services/forecast/forecast.js';
import { builder } from '../builder.js';

const ForecastConfidenceEnum = builder.enumType('ForecastConfidence', {
  description: 'How much a forecast is worth.',
  values: {
    LOW: { description: 'A simple rate carried forward.' },
    MEDIUM: { description: 'Calibrated on some finished batches.' },
    HIGH: { description: 'Calibrated on many finished batches.' },
  } as const,
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
      description: 'When it will be done at that rate; null while nothing comes in.',
      resolve: ({ expectedDoneAt }) => expectedDoneAt,
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
