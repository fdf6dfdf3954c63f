import * as resolvers from '../../resolvers/dispatch.js';
import { pageOf } from '../../resolvers/paging.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import type { Worker } from '../../services/dispatch/workers.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { ExpertRef } from '../refs.js';
import { PlaceInput, PlaceRef } from './place.js';

const WorkerRef = builder.objectRef<Worker>('Worker').implement({
  description: 'An expert who goes to places.',
  fields: (t) => ({
    expert: t.field({
      type: ExpertRef,
      nullable: true,
      description: 'Who.',
      resolve: ({ id }, _args, { load }) => load.expert.load(id),
    }),
    active: t.exposeBoolean('active', { description: 'Whether they are asked at all.' }),
    shiftDays: t.intList({
      description: 'Days on which a shift begins: 1 is Monday.',
      resolve: ({ shiftDays }) => shiftDays,
    }),
    shiftStart: t.exposeString('shiftStart', {
      description: 'HH:MM by the clocks of the tenant’s time zone.',
    }),
    shiftEnd: t.exposeString('shiftEnd', {
      description: 'HH:MM; not later than the start: on the day after.',
    }),
    capacity: t.exposeInt('capacity', { description: 'Jobs that they may have at the same time.' }),
    home: t.field({
      type: PlaceRef,
      description: 'From where they set out to what is planned.',
      resolve: ({ home }) => home,
    }),
    travels: t.exposeBoolean('travels', { description: 'Whether they go wherever they are sent.' }),
    cell: t.string({
      nullable: true,
      description: 'The H3 cell (resolution 8) that they were last seen in; null: not for some minutes.',
      resolve: async ({ id }, _args, { load }) => (await load.lastSeen.load(id))?.cell ?? null,
    }),
    isFresh: t.boolean({
      description:
        'Whether they were seen within half a minute, by both clocks: who may be offered a job for now.',
      resolve: async ({ id }, _args, { load }) => (await load.lastSeen.load(id))?.isFresh ?? false,
    }),
  }),
});

const WorkerConnection = connectionOf(WorkerRef, 'workers');

builder.queryField('workers', (t) =>
  t.field({
    type: WorkerConnection,
    description: 'Experts who go to places; a worker sees themselves.',
    authScopes: { role: ['DISPATCHER', 'OPERATOR', 'EXPERT'] },
    args: { ...connectionArgs() },
    complexity: connectionCost,
    resolve: (_root, args, ctx) =>
      pageOf(args, { ctx, type: 'Expert' }, (page) => resolvers.workers(page, ctx)),
  }),
);

export const SetWorkerInput = builder.inputType('SetWorkerInput', {
  description: 'What `setWorker` needs: the whole of it each time.',
  fields: (t) => ({
    expertId: t.globalID({ required: true, for: ExpertRef, description: 'Which expert.' }),
    active: t.boolean({ required: false, description: 'Whether they are asked at all (default: yes).' }),
    shiftDays: t.intList({ required: true, description: 'Days on which a shift begins: 1 is Monday.' }),
    shiftStart: t.string({
      required: true,
      description: 'HH:MM by the clocks of the tenant’s time zone.',
    }),
    shiftEnd: t.string({ required: true, description: 'HH:MM; not later than the start: on the day after.' }),
    capacity: t.int({
      required: false,
      description: 'Jobs that they may have at the same time, 1 to 10 (default 1).',
    }),
    home: t.field({ type: PlaceInput, required: true, description: 'From where they set out.' }),
    serviceArea: t.field({
      type: [PlaceInput],
      required: false,
      description:
        'The 3 to 200 corners of where they work; left out: they go wherever they are sent, and have said so.',
    }),
  }),
});

builder.mutationField('setWorker', (t) =>
  t.field({
    type: builder.objectRef<{ expertId: bigint }>('SetWorkerPayload').implement({
      description: 'What `setWorker` did.',
      fields: (f) => ({
        expert: f.field({
          type: ExpertRef,
          nullable: true,
          description: 'Who is a worker now.',
          resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
        }),
      }),
    }),
    nullable: true,
    description: 'Makes an expert a worker, or changes what kind of one. What they have accepted stays.',
    authScopes: { role: ['DISPATCHER', 'OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: SetWorkerInput, required: true, description: 'The worker.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setWorker(input, ctx),
  }),
);
