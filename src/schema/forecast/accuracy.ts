import * as resolvers from '../../resolvers/forecast.js';
import type { Alerts, ForecastAccuracy, Reliability } from '../../services/forecast/accuracy.js';
import { builder } from '../builder.js';
import { ProjectRef } from '../refs.js';

const ReliabilityRef = builder.objectRef<Reliability>('ForecastReliability').implement({
  description: 'What became of the forecasts that stated a probability of a tenth.',
  fields: (t) => ({
    from: t.exposeFloat('from', { description: 'The tenth begins here.' }),
    to: t.exposeFloat('to', { description: 'And ends here.' }),
    forecasts: t.exposeInt('forecasts', { description: 'How many.' }),
    stated: t.exposeFloat('stated', { description: 'The mean of what they stated.' }),
    happened: t.exposeFloat('happened', { description: 'The share of them whose batch was done in time.' }),
  }),
});

const AlertsRef = builder.objectRef<Alerts>('ForecastAlerts').implement({
  description: 'What being said to be at risk was worth, of batches that had a deadline and have ended.',
  fields: (t) => ({
    batches: t.exposeInt('batches', { description: 'How many.' }),
    missed: t.exposeInt('missed', { description: 'Those that were late.' }),
    warned: t.exposeInt('warned', { description: 'Those of the late that had been said to be at risk.' }),
    leadHours: t.exposeFloat('leadHours', {
      nullable: true,
      description: 'Of these, from the first word to the deadline, by the median.',
    }),
    alerted: t.exposeInt('alerted', { description: 'Those said to be at risk, late or not.' }),
    falseAlerts: t.exposeInt('falseAlerts', {
      description:
        'Those said to be at risk and done by the deadline that this was said of, extended or not later.',
    }),
  }),
});

const PinballRef = builder.objectRef<ForecastAccuracy['pinball'][number]>('ForecastPinball').implement({
  description: 'How good one quantile was.',
  fields: (t) => ({
    probability: t.exposeFloat('probability', { description: 'Which quantile.' }),
    hours: t.exposeFloat('hours', { description: 'Its mean pinball loss; 0 is best.' }),
  }),
});

const AccuracyRef = builder.objectRef<ForecastAccuracy>('ForecastAccuracy').implement({
  description:
    'How good forecasts were whose batches have ended, by the first end of each: one that goes on later, as an answer was retracted, was done all the same. Made at every twentieth of the answers, and whenever the risk changed. Null where there is nothing to measure.',
  fields: (t) => ({
    forecasts: t.exposeInt('forecasts', { description: 'Forecasts, of the latest twenty thousand.' }),
    batches: t.exposeInt('batches', { description: 'Batches that they were of.' }),
    never: t.exposeInt('never', {
      description:
        'Forecasts that said “never”, beyond ten years, with .05 or more: never is no distance in hours, so they are not in `crpsHours` and `pinball`, and are in all else.',
    }),
    brier: t.exposeFloat('brier', {
      nullable: true,
      description: 'Brier’s score of the probability to be in time: 0 is best, a coin has .25.',
    }),
    crpsHours: t.exposeFloat('crpsHours', {
      nullable: true,
      description:
        'The continuous ranked probability score: how far off, in hours, all that was said was; without what said never.',
    }),
    coverage80: t.exposeFloat('coverage80', {
      nullable: true,
      description:
        'The share of forecasts whose batch was done between their .1 and .9 quantiles; .8 is honest.',
    }),
    medianExceeded: t.exposeFloat('medianExceeded', {
      nullable: true,
      description: 'The share that was done after the median; .5 is honest.',
    }),
    pinball: t.field({
      type: [PinballRef],
      description: 'Quantile by quantile: .1, .25, .5, .75 and .9; without what said never.',
      resolve: ({ pinball }) => [...pinball],
    }),
    reliability: t.field({
      type: [ReliabilityRef],
      description: 'Stated against what came true, by tenths; a tenth that was never stated is left out.',
      resolve: ({ reliability }) => [...reliability],
    }),
    alerts: t.field({
      type: AlertsRef,
      description: 'Of deadlines at risk.',
      resolve: ({ alerts }) => alerts,
    }),
  }),
});

/** Reads thousands of rows. */
const COST = 200;

builder.queryField('forecastAccuracy', (t) =>
  t.field({
    type: AccuracyRef,
    nullable: true,
    description: 'How good forecasts were; null where there is no such project.',
    authScopes: { role: ['CUSTOMER', 'ANALYST', 'OPERATOR'] },
    complexity: { field: COST, multiplier: 1 },
    args: {
      projectId: t.arg.globalID({
        for: ProjectRef,
        description: 'Of which project; of all that you see without it.',
      }),
    },
    resolve: (_root, { projectId }, ctx) => resolvers.forecastAccuracy(projectId?.id ?? null, ctx),
  }),
);
