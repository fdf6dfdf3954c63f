import * as resolvers from '../../resolvers/capacity.js';
import { doneBy } from '../../resolvers/forecast.js';
import { builder } from '../builder.js';
import { SkillRef } from '../refs.js';
import { DoneByRef, ForecastRef } from './forecast.js';

// What a forecast hangs on: the hours of experts.

const ForecastSkillRef = builder.objectRef<resolvers.ShownSkill>('ForecastSkill').implement({
  description:
    'What there is of work and of experts’ hours, in one skill or in some together: each hour is counted once.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'Which skill; null of all together.',
      resolve: ({ skillId }, _args, { load }) => (skillId === null ? null : load.skill.load(skillId)),
    }),
    experts: t.exposeInt('experts', { description: 'Experts who can do it.' }),
    hoursPerWeek: t.exposeFloat('hoursPerWeek', {
      description: 'That they work in a week, all of them together.',
    }),
    hoursByDeadline: t.exposeFloat('hoursByDeadline', {
      nullable: true,
      description:
        'That they work until the deadline; without one, until it is expected to be done. Null to customers: others’ work is done in them too.',
    }),
    workHours: t.exposeFloat('workHours', { description: 'Hours of work that are left of this.' }),
    othersHours: t.exposeFloat('othersHours', {
      nullable: true,
      description: 'Hours of other work that is due before, of the same experts; null to customers.',
    }),
    missingHours: t.exposeFloat('missingHours', {
      nullable: true,
      description:
        'Hours more with which nine of ten possible futures make the deadline: 0 where they do as it is. Null without a deadline, and where other skills lack them.',
    }),
    probabilityOnTime: t.exposeFloat('probabilityOnTime', {
      nullable: true,
      description:
        'How likely these experts suffice by the deadline for what is due of it, were there nothing else for them; of several together that all make it, and to customers always that. Null without a deadline.',
    }),
    quantiles: t.field({
      type: [DoneByRef],
      description:
        'When what is asked of this skill will be done, with .05, .1, .25, .5, .75, .9 and .95, in the same possible futures as the whole: the whole is done when the last of its skills is. Empty of skills that only share their experts, and while nothing can be said.',
      resolve: doneBy,
    }),
  }),
});

const ExtraHoursRef = builder.objectRef<resolvers.ExtraHours>('ForecastExtraHours').implement({
  description: 'Hours that are lacking in a skill.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'Which skill.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
    hours: t.exposeFloat('hours', { description: 'Hours more, until the deadline.' }),
  }),
});

export const ForecastFixesRef = builder.objectRef<resolvers.Fixes>('ForecastFixes').implement({
  description: 'What would make the deadline, nine times in ten: each by itself.',
  fields: (t) => ({
    expertHours: t.field({
      type: [ExtraHoursRef],
      description: 'Hours of experts more.',
      resolve: ({ expertHours }) => [...expertHours],
    }),
    dropTasks: t.exposeInt('dropTasks', {
      nullable: true,
      description:
        'Or so many open tasks less, of a project’s batches alike; null where that would be all of them.',
    }),
    safeDeadline: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Or this deadline; null beyond ten years.',
      resolve: ({ safeDeadline }) => safeDeadline,
    }),
  }),
});

builder.objectFields(ForecastRef, (t) => ({
  perSkill: t.field({
    type: [ForecastSkillRef],
    description:
      'Skill by skill: all that its open work asks for, that of its tasks and that of who decides where answers disagree, and those that share the experts on whom it hangs. To customers only that of its tasks, in rounded hours. Of a project with several open batches: of the one that holds it up, by its deadline, with the work of all that are due no later. Empty while it is not known when experts work, and of a project with more than a thousand open batches.',
    resolve: (forecast, _args, ctx) => resolvers.perSkill(forecast, ctx),
  }),
  total: t.field({
    type: ForecastSkillRef,
    nullable: true,
    description:
      'The skills that bind together: who has several is there once. To customers the experts of their own work. Of a project as `perSkill`.',
    resolve: (forecast, _args, ctx) => resolvers.total(forecast, ctx),
  }),
  bindingSkills: t.field({
    type: [SkillRef],
    description: 'Skills whose experts are too few, or would be first; to customers that of their own work.',
    resolve: (forecast, _args, ctx) => resolvers.bindingSkills(forecast, ctx),
  }),
  limits: t.stringList({
    description:
      'What it hangs on, in words; of a project as `perSkill`. Empty while it is not known when experts work.',
    resolve: (forecast, _args, ctx) => resolvers.limits(forecast, ctx),
  }),
  fixes: t.field({
    type: ForecastFixesRef,
    nullable: true,
    description:
      'What would make the deadline; of a project with several open batches what would make the deadlines of all. Null where it is made nine times in ten as it is, or nothing can be said. Another deadline only, while it is not known when experts work.',
    resolve: (forecast, _args, ctx) => resolvers.fixesOfForecast(forecast, ctx),
  }),
}));

const ExtraExpertsInput = builder.inputType('ExtraExpertsInput', {
  description: 'Experts that are not there yet, and can do the work.',
  fields: (t) => ({
    count: t.int({ required: true, description: 'How many; at most 1,000 in all.' }),
    hoursPerWeek: t.float({
      required: false,
      description: 'Hours that each works in a week, above 0; by default as those there are, by the median.',
    }),
  }),
});

/** What a forecast is asked to take for granted. */
export const ForecastWith = builder.inputType('ForecastWith', {
  description:
    'What is to be otherwise than it is. Nothing is changed: it is only asked what would become of it.',
  fields: (t) => ({
    extraExperts: t.field({
      type: [ExtraExpertsInput],
      required: false,
      description: 'Experts more; at most 20 kinds.',
    }),
    dropTasks: t.int({
      required: false,
      description:
        'Open tasks less, of a project’s batches alike; fewer than there are. Who adjudicates decides of tasks: those decisions are none.',
    }),
    deadline: t.field({ type: 'DateTime', required: false, description: 'Another deadline.' }),
  }),
});

/** What a question of what would be costs: it is computed for whoever asks, so some are asked at once and no lists of them. */
const COST = 5_000;

export const forecastCost = ({ with: change }: { with?: unknown }) => (change == null ? 1 : COST);
