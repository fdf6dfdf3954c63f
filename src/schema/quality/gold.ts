import * as resolvers from '../../resolvers/gold.js';
import { pageOf } from '../../resolvers/paging.js';
import type { Gold } from '../../services/quality/gold/curation.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { ProjectRef, TaskRef } from '../refs.js';

export const GoldStateEnum = builder.enumType('GoldState', {
  description: 'Where a gold stands.',
  values: {
    ACTIVE: { description: 'Given to experts.' },
    RETIRED: { description: 'Given to nobody more; what it graded counts.' },
    SUSPENDED: { description: 'Was not right: what it graded does not count.' },
  } as const,
});

const GoldSourceEnum = builder.enumType('GoldSource', {
  description: 'Where a gold comes from.',
  values: {
    HAND: { description: 'Made by hand.' },
    IMPORT: { description: 'Imported with others.' },
    MINTED: { description: 'Made from a finished task whose answer is beyond doubt.' },
  } as const,
});

const GoldAsideEnum = builder.enumType('GoldAside', {
  description: 'What of a gold, that experts see, is like none of its project’s tasks.',
  values: {
    NAME: { description: '`externalId`: it has none, or tasks have none.' },
    CONTENT_TYPE: { description: 'The media type.' },
    SIZE: { description: 'Its payload is less than half as long as any task’s, or more than twice.' },
  } as const,
});

const GoldKeyRef = builder.objectRef<Gold['key'][number]>('GoldKey').implement({
  description: 'What is right, of one dimension: a text or a number.',
  fields: (t) => ({
    dimension: t.exposeString('dimension', { description: 'The dimension of the task type.' }),
    text: t.exposeString('text', {
      nullable: true,
      description: 'Of a nominal or ordinal dimension in words.',
    }),
    number: t.exposeFloat('number', { nullable: true, description: 'Of a dimension in numbers.' }),
    tolerance: t.exposeFloat('tolerance', { description: 'How far off a number may be and still be right.' }),
  }),
});

/** One gold, for staff. */
export const GoldRef = builder.objectRef<Gold>('Gold').implement({
  description:
    'A task whose answer is known, given to experts among their other work. Nobody who may act as an expert sees it.',
  fields: (t) => ({
    task: t.field({
      type: TaskRef,
      nullable: true,
      description: 'The task; of no batch and no customer.',
      resolve: ({ id }, _args, { load }) => load.task.load(id),
    }),
    state: t.field({ type: GoldStateEnum, description: 'Where it stands.', resolve: ({ state }) => state }),
    source: t.field({
      type: GoldSourceEnum,
      description: 'Where it comes from.',
      resolve: ({ source }) => source,
    }),
    label: t.exposeString('label', { description: 'Its class, over which showings are balanced.' }),
    key: t.field({ type: [GoldKeyRef], description: 'What is right.', resolve: ({ key }) => key }),
    exposures: t.exposeInt('exposures', { description: 'Experts it was shown to.' }),
    exposuresMax: t.exposeInt('exposuresMax', { description: 'Experts it may be shown to.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was made.', resolve: (g) => g.createdAt }),
    endedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was retired or suspended.',
      resolve: (g) => g.endedAt,
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was retired or suspended.' }),
    aside: t.field({
      type: GoldAsideEnum,
      nullable: true,
      description:
        'Why it is given to nobody though it is active: experts would know it. It is given again once a task looks like it; sent again (`importGold`), it looks as it is sent then. Null: it may be given.',
      resolve: ({ state, aside }) => (state === 'ACTIVE' ? aside : null),
    }),
  }),
});

const GoldConnection = connectionOf(GoldRef, 'golds');

builder.queryField('gold', (t) =>
  t.field({
    type: GoldConnection,
    description:
      'Gold of a project, of one state and source or of all, oldest first. Refused to whoever may act as an expert.',
    authScopes: { role: ['ANALYST', 'OPERATOR'] },
    args: {
      ...connectionArgs(),
      projectId: t.arg.globalID({ required: true, for: ProjectRef, description: 'Of which project.' }),
      state: t.arg({ type: GoldStateEnum, required: false, description: 'Only gold that stands there.' }),
      source: t.arg({ type: GoldSourceEnum, required: false, description: 'Only gold from there.' }),
      isAside: t.arg.boolean({
        required: false,
        description: 'Only gold that is set aside, or none that is.',
      }),
    },
    complexity: connectionCost,
    resolve: (_root, { projectId, state, source, isAside, ...args }, ctx) =>
      pageOf(args, { ctx, type: 'Task' }, (p) =>
        resolvers.gold(
          {
            ...p,
            projectId: projectId.id,
            state: state ?? null,
            source: source ?? null,
            isAside: isAside ?? null,
          },
          ctx,
        ),
      ),
  }),
);
