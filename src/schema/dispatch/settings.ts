import * as resolvers from '../../resolvers/dispatch.js';
import { InputInvalidError } from '../../services/access/errors.js';
import type { DispatchSettings } from '../../services/dispatch/workers.js';
import { builder } from '../builder.js';

const SettingsRef = builder.objectRef<DispatchSettings>('DispatchSettings').implement({
  description: 'How the tenant dispatches.',
  fields: (t) => ({
    timeZone: t.exposeString('timeZone', {
      description:
        'By whose clocks shifts are told, and whose midnight ends a day: a name of the IANA database.',
    }),
    etaWeight: t.exposeFloat('etaWeight', { description: 'What a minute of travel weighs in a score.' }),
    fairnessWeight: t.exposeFloat('fairnessWeight', {
      description: 'What a job that was taken today weighs.',
    }),
    slackWeight: t.exposeFloat('slackWeight', {
      description: 'What a minute that is left at the arrival weighs, of a job of priority 5.',
    }),
    offerSeconds: t.exposeInt('offerSeconds', { description: 'How long an offer of a job for now stands.' }),
    laterOfferSeconds: t.exposeInt('laterOfferSeconds', {
      description: 'How long an offer of a scheduled job stands.',
    }),
    cooldownSeconds: t.exposeInt('cooldownSeconds', {
      description: 'For how long who declined a job is not asked for it again.',
    }),
    noShowSeconds: t.exposeInt('noShowSeconds', {
      description: 'How long after the latest expected arrival somebody is told.',
    }),
    searchMetres: t.exposeInt('searchMetres', { description: 'How far from a job workers are looked for.' }),
    alertDueSoonSeconds: t.exposeInt('alertDueSoonSeconds', {
      description: 'Within how long jobs that nobody has are due, for `JOBS_DUE_SOON`.',
    }),
    alertMissedSeconds: t.exposeInt('alertMissedSeconds', {
      description: 'For how long a window in which nobody came is told, for `WINDOWS_MISSED`.',
    }),
    alertExpiredShare: t.exposeFloat('alertExpiredShare', {
      description: 'From which share of offers that end unanswered on `OFFERS_EXPIRING` is raised.',
    }),
    alertGuessedShare: t.exposeFloat('alertGuessedShare', {
      description: 'From which share of offers that rest on estimates on `ROUTES_GUESSED` is raised.',
    }),
    alertSilentShare: t.exposeFloat('alertSilentShare', {
      description: 'From which share of workers on shift who say nothing on `WORKERS_SILENT` is raised.',
    }),
    alertCalmShare: t.exposeFloat('alertCalmShare', {
      description: 'Below which share each of these ends.',
    }),
    alertExpiredLeast: t.exposeInt('alertExpiredLeast', {
      description: 'Of how many answered offers at least a share is judged.',
    }),
    alertGuessedLeast: t.exposeInt('alertGuessedLeast', {
      description: 'Of how many offers at least it is judged what they rest on.',
    }),
    alertSilentLeast: t.exposeInt('alertSilentLeast', {
      description: 'Of how many workers on shift at least a share is judged.',
    }),
    alertSilentSeconds: t.exposeInt('alertSilentSeconds', {
      description: 'After how long without a word a worker on shift is silent.',
    }),
  }),
});

builder.queryField('dispatchSettings', (t) =>
  t.field({
    type: SettingsRef,
    description: 'How the tenant dispatches; as long as nobody has set it, the defaults.',
    authScopes: { role: ['DISPATCHER', 'OPERATOR'] },
    resolve: (_root, _args, ctx) => resolvers.dispatchSettings(ctx),
  }),
);

export const SetDispatchSettingsInput = builder.inputType('SetDispatchSettingsInput', {
  description: 'What `setDispatchSettings` changes; what is left out stays as it is.',
  fields: (t) => ({
    timeZone: t.string({ required: false, description: 'A name of the IANA database.' }),
    etaWeight: t.float({ required: false, description: '0 to 1000 (at first 1).' }),
    fairnessWeight: t.float({ required: false, description: '0 to 1000 (at first 2).' }),
    slackWeight: t.float({ required: false, description: '0 to 1000 (at first 0.1).' }),
    offerSeconds: t.int({ required: false, description: '5 to 600 (at first 20).' }),
    laterOfferSeconds: t.int({ required: false, description: '60 to 86400 (at first 900).' }),
    cooldownSeconds: t.int({ required: false, description: '0 to 86400 (at first 600).' }),
    noShowSeconds: t.int({ required: false, description: '60 to 86400 (at first 900).' }),
    searchMetres: t.int({ required: false, description: '500 to 50000 (at first 25000).' }),
    alertDueSoonSeconds: t.int({ required: false, description: '60 to 86400 (at first 1800).' }),
    alertMissedSeconds: t.int({ required: false, description: '60 to 86400 (at first 3600).' }),
    alertExpiredShare: t.float({ required: false, description: '0.01 to 1 (at first 0.5).' }),
    alertGuessedShare: t.float({ required: false, description: '0.01 to 1 (at first 0.5).' }),
    alertSilentShare: t.float({ required: false, description: '0.01 to 1 (at first 0.5).' }),
    alertCalmShare: t.float({
      required: false,
      description: '0 to 1, no more than each of the three (at first 0.3).',
    }),
    alertExpiredLeast: t.int({ required: false, description: '1 to 100000 (at first 20).' }),
    alertGuessedLeast: t.int({ required: false, description: '1 to 100000 (at first 10).' }),
    alertSilentLeast: t.int({ required: false, description: '1 to 100000 (at first 10).' }),
    alertSilentSeconds: t.int({ required: false, description: '90 to 900 (at first 90).' }),
  }),
});

builder.mutationField('setDispatchSettings', (t) =>
  t.field({
    type: builder.objectRef<object>('SetDispatchSettingsPayload').implement({
      description: 'What `setDispatchSettings` did.',
      fields: (f) => ({
        settings: f.field({
          type: SettingsRef,
          description: 'How the tenant dispatches now.',
          resolve: (_payload, _args, ctx) => resolvers.dispatchSettings(ctx),
        }),
      }),
    }),
    nullable: true,
    description: 'Changes how the tenant dispatches, from the next decision on.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [InputInvalidError] },
    args: { input: t.arg({ type: SetDispatchSettingsInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setDispatchSettings(input, ctx),
  }),
);
