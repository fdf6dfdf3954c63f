import * as resolvers from '../../resolvers/quality.js';
import type {
  Calibration,
  HumanPause,
  Notice,
  SkillScore,
  Standing,
} from '../../services/quality/reads/expert-quality.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';
import { ExpertRef, SkillRef, TaskTypeRef } from '../refs.js';

export const PhaseEnum = builder.enumType('StandingPhase', {
  description: 'Where an expert stands in a skill.',
  values: {
    CLEAR: { description: 'Works.' },
    WARNED: { description: 'Works, and may be paused if results stay as they are.' },
    PAUSED: { description: 'Is given no work of the skill; past answers stay.' },
    RETEST: { description: 'Is tested anew: only results from now on count.' },
  } as const,
});

const SkillScoreRef = builder.objectRef<SkillScore>('SkillScore').implement({
  description: 'How right an expert’s answers of one skill and task type are, by gold and adjudications.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The skill.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
    taskType: t.field({
      type: TaskTypeRef,
      nullable: true,
      description: 'The task type, where you may see it; null with the skill as a whole.',
      resolve: ({ taskTypeId }, _args, { load }) => load.taskType.load(taskTypeId),
    }),
    mean: t.exposeFloat('mean', { description: 'The best guess, 0 to 1.' }),
    lower: t.exposeFloat('lower', { description: 'Above this with probability .95: what work is gated by.' }),
    upper: t.exposeFloat('upper', { description: 'Below this with probability .95.' }),
    results: t.exposeInt('seen', { description: 'Graded answers that it rests on.' }),
    day: t.field({
      type: 'DateTime',
      description: 'The UTC day of which it is; to experts, the day of the state that they were shown.',
      resolve: ({ day }) => day,
    }),
  }),
});

const CalibrationRef = builder.objectRef<Calibration>('ConfidenceCalibration').implement({
  description: 'How well an expert knows what they know: what they stated on gold beside what came true.',
  fields: (t) => ({
    pairs: t.exposeInt('pairs', { description: 'Stated confidences that it rests on, the last 200.' }),
    stated: t.exposeFloat('stated', {
      description:
        'What was stated on average; to experts, with all of their answers since the last state shown.',
    }),
    actual: t.exposeFloat('actual', { description: 'The share that was right.' }),
    error: t.exposeFloat('error', {
      description:
        'Mean distance of the two, by how sure they were; to experts, the distance of the two figures above.',
    }),
    isUsed: t.boolean({
      description: 'Whether stated confidence weighs their answers: only once it says something.',
      resolve: ({ use }) => use === 'USABLE',
    }),
  }),
});

const StandingRef = builder.objectRef<Standing>('SkillStanding').implement({
  description: 'Where an expert stands in a skill, and why.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The skill.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
    phase: t.field({ type: PhaseEnum, description: 'The phase.', resolve: ({ phase }) => phase }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why; null in the beginning.' }),
    since: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when.',
      resolve: ({ since }) => since,
    }),
    isInEffect: t.exposeBoolean('inEffect', {
      description:
        'False between a decision from results and its effect, some minutes and answers later: its instant must not tell which answer was gold.',
    }),
    retestFrom: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the re-test begins of somebody whom results paused.',
      resolve: ({ retestFrom }) => retestFrom,
    }),
  }),
});

const NoticeRef = builder.objectRef<Notice>('StandingNotice').implement({
  description: 'A change of standing, with what it was decided on.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The skill.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
    phase: t.field({ type: PhaseEnum, description: 'What it became.', resolve: ({ phase }) => phase }),
    reason: t.exposeString('reason', { description: 'Why.' }),
    at: t.field({
      type: 'DateTime',
      description: 'When it was decided; to experts, when they were told.',
      resolve: ({ at }) => at,
    }),
    right: t.exposeFloat('right', {
      description:
        'Right answers among the results looked at; to experts, among the last results of the state shown with it.',
    }),
    results: t.exposeInt('of', { description: 'Results looked at.' }),
    probabilityBelow: t.exposeFloat('probabilityBelow', {
      description: 'How sure it was that the accuracy is below the bar.',
    }),
  }),
});

const HumanPauseRef = builder.objectRef<HumanPause>('HumanPause').implement({
  description: 'A pause that a human set or took back, in their words.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'Which skill; null: all work.',
      resolve: ({ skillId }, _args, { load }) => (skillId === null ? null : load.skill.load(skillId)),
    }),
    reason: t.exposeString('reason', { description: 'Why.' }),
    withdrewHeld: t.exposeBoolean('isFraud', { description: 'Whether what they held ended with it.' }),
    pausedAt: t.field({ type: 'DateTime', description: 'Since when.', resolve: (p) => p.pausedAt }),
    resumedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when; null: it holds.',
      resolve: (p) => p.resumedAt,
    }),
    resumeReason: t.exposeString('resumeReason', {
      nullable: true,
      description: 'Why it was taken back; null: it holds, or nobody said.',
    }),
  }),
});

const BelowBarRef = builder.objectRef<{ skillId: bigint }>('BelowBar').implement({
  description: 'A skill in which every bar is above what an expert is taken for.',
  fields: (t) => ({
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The skill.',
      resolve: ({ skillId }, _args, { load }) => load.skill.load(skillId),
    }),
  }),
});

const SkillScoreConnection = connectionOf(SkillScoreRef, 'scores');
const NOTICES_MAX = 100;

const ExpertQualityRef = builder.objectRef<{ expertId: bigint }>('ExpertQuality').implement({
  description:
    'What is known of an expert’s work. Experts see of their own a new state once twenty answers of theirs in the skill lie behind the last one, of skills as a whole.',
  fields: (t) => ({
    scores: t.field({
      type: [SkillScoreRef],
      description: 'The latest score of each skill and task type; at most 200.',
      complexity: { field: 1, multiplier: 50 },
      resolve: ({ expertId }, _args, ctx) => resolvers.scoresOf(expertId, ctx),
    }),
    history: t.field({
      type: SkillScoreConnection,
      description: 'Scores day by day, the latest first.',
      args: connectionArgs(),
      complexity: connectionCost,
      resolve: ({ expertId }, args, ctx) => resolvers.scoreHistory(expertId, args, ctx),
    }),
    calibration: t.field({
      type: CalibrationRef,
      nullable: true,
      description: 'Of stated confidence; null where none was stated on gold.',
      resolve: ({ expertId }, _args, ctx) => resolvers.calibrationOf(expertId, ctx),
    }),
    standings: t.field({
      type: [StandingRef],
      description:
        'Where they stand in each skill that was graded: to staff as decided, to experts as in effect.',
      complexity: { field: 1, multiplier: 20 },
      resolve: ({ expertId }, _args, ctx) => resolvers.standingsOf(expertId, ctx),
    }),
    notices: t.field({
      type: [NoticeRef],
      description: `Warnings, pauses, re-tests and returns, the latest first; at most ${NOTICES_MAX}.`,
      complexity: { field: 1, multiplier: 20 },
      resolve: ({ expertId }, _args, ctx) => resolvers.noticesOf(expertId, NOTICES_MAX, ctx),
    }),
    belowBars: t.field({
      type: [BelowBarRef],
      description:
        'Skills in which everything that there is to do asks for more than they are taken for now (BELOW_BAR); at most 200. They need do nothing but come back: they are tried again within 1, 3, 7, 14, then 30 days.',
      complexity: { field: 1, multiplier: 10 },
      resolve: ({ expertId }, _args, ctx) => resolvers.skillsBelowBars(expertId, ctx),
    }),
    pauses: t.field({
      type: [HumanPauseRef],
      description: `Pauses that humans set or took back, the latest first, with what they said; at most ${NOTICES_MAX}. To experts without those that rest on a finding.`,
      complexity: { field: 1, multiplier: 20 },
      resolve: ({ expertId }, _args, ctx) => resolvers.humanPausesOf(expertId, NOTICES_MAX, ctx),
    }),
  }),
});

builder.queryField('expertQuality', (t) =>
  t.field({
    type: ExpertQualityRef,
    nullable: true,
    description: 'What is known of an expert’s work: of yourself, or as analyst or operator of anybody.',
    authScopes: { role: ['EXPERT', 'ANALYST', 'OPERATOR'] },
    args: {
      expertId: t.arg.globalID({
        required: false,
        for: ExpertRef,
        description: 'Whose (default: your own; whoever acts as no expert must say).',
      }),
    },
    resolve: (_root, { expertId }, ctx) => resolvers.expertQuality(expertId?.id ?? null, ctx),
  }),
);
