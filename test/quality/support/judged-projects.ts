import { calibrate } from '../../../src/services/quality/inference/calibration.js';
import { chooseMethods } from '../../../src/services/quality/inference/methods.js';
import { fitStoppingModel } from '../../../src/services/quality/redundancy/fit.js';
import { posterior, type WorkerModel } from '../../../src/services/quality/redundancy/posterior.js';
import { between, randomOf } from '../../soak/random.js';
import type { TestDb } from '../../support/db.js';
import { at, CHOICES, makeWorld, type World } from '../../support/factories.js';
import { plantGoldRows } from './hand-gold.js';
import { type PlantedVote, plantAnswered } from './planted.js';
import { crowdAnswers, skewedMatrix } from './project-crowd.js';

export const EXPERTS = 12;
/** Digits in which the database and the service agree. */
export const DIGITS = 9;
/** Two in five of what is `no` are taken for `unsure`, by everybody. */
const crowd = Array.from({ length: EXPERTS }, () => skewedMatrix(0.4));
type Matrix = Record<string, Record<string, number>>;

function modelOf({ accuracy, matrix }: { accuracy: number; matrix: Matrix | null }): WorkerModel {
  const confusion =
    matrix === null ? null : CHOICES.map((truth) => CHOICES.map((said) => matrix[truth]?.[said] ?? 0));
  return { accuracy, confusion };
}

interface Version {
  readonly id: string;
  readonly prior: Record<string, number> | null;
  readonly accuracy: number;
  readonly matrix: Matrix | null;
  readonly temper: number;
  readonly doubt: number;
}

/** Projects whose experts are a simulated crowd, with the job that chooses by what they are judged. */
export function judgedProjects(t: TestDb) {
  const random = randomOf(41);

  const choose = () => chooseMethods(t.database, { limit: 100, after: fitStoppingModel });

  /** So many finished tasks with three answers each. */
  async function work(world: World, tasks: number): Promise<bigint[]> {
    const truths = Array.from({ length: tasks }, () => between(random, 0, 2));
    const votes: PlantedVote[][] = truths.map(() => []);
    for (const { item, expert, said } of crowdAnswers(random, { truths, experts: crowd, each: 3 })) {
      votes[item]?.push({ expert, label: at(CHOICES, said), confidence: null });
    }
    return plantAnswered(t.admin, world, votes);
  }

  let lastGold = 5_000_000;

  /** So many gold, each answered by six, as submits leave their gradings. */
  async function gold(world: World, count: number): Promise<void> {
    const truths = Array.from({ length: count }, () => between(random, 0, 2));
    const given = crowdAnswers(random, { truths, experts: crowd, each: 6 }).map(
      ({ item, expert, said }, n) => ({
        assignment: lastGold + n,
        task: lastGold + item,
        expert: String(at(world.experts, expert).expertId),
        truth: at(CHOICES, at(truths, item)),
        said: at(CHOICES, said),
      }),
    );
    await plantGoldRows(t.admin, world, { ids: truths.map((_, item) => lastGold + item) });
    lastGold += given.length;
    await t.admin.query(
      `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind, truth,
       answered, is_right, graded_at)
     select $1, g.assignment, g.task, $2, g.expert, $3, $4, 'choice', 'GOLD', g.truth, g.said, g.truth = g.said, app.clock_now()
     from jsonb_to_recordset($5::jsonb) as g(assignment bigint, task bigint, expert bigint, truth text, said text)`,
      [world.tenantId, world.projectId, world.skillId, world.taskTypeId, JSON.stringify(given)],
    );
  }

  const makeProject = () => makeWorld(t.database, { experts: EXPERTS, tasks: 0, quality: 0.9 });

  const versionsOf = async ({ projectId }: World) =>
    (
      await t.admin.query('select * from inference_versions where project_id = $1 order by number', [
        projectId,
      ])
    ).rows;

  const expertsOf = async (
    versionId: string,
  ): Promise<{ version_id: string; expert_id: string; accuracy: number; matrix: Matrix | null }[]> =>
    (
      await t.admin.query('select * from inference_experts where version_id = $1 order by expert_id', [
        versionId,
      ])
    ).rows;

  /** What the version that is kept makes of a task's answers, in the order of CHOICES: from scratch, by the service. */
  async function fromScratch(
    version: Version,
    taskId: bigint,
  ): Promise<{ p: number[]; stated: Float64Array }> {
    const experts = new Map((await expertsOf(version.id)).map((row) => [row.expert_id, modelOf(row)]));
    const { rows } = await t.admin.query(
      `select expert_id, text_value from answer_values where task_id = $1
       or task_id in (select task_id from adjudications where parent_id = $1)`,
      [taskId],
    );
    const votes = rows.map(({ expert_id, text_value }) => ({
      label: CHOICES.indexOf(text_value),
      model: experts.get(expert_id) ?? modelOf({ accuracy: version.accuracy, matrix: version.matrix }),
    }));
    const p = posterior(
      votes,
      CHOICES.map((label) => version.prior?.[label] ?? 1 / CHOICES.length),
    );
    const { temper, doubt } = version;
    return { p, stated: calibrate(Float64Array.from(p), CHOICES.length, { temper, doubt }) };
  }

  const posteriorsOf = async ({ tenantId }: World, taskIds: readonly bigint[], chosen = true) =>
    (
      await t.admin.query(
        'select task_id, label, probability, stated from app.task_posteriors($1, $2::bigint[], $3) order by task_id, position',
        [tenantId, taskIds.map(String), chosen],
      )
    ).rows;

  /** A version that knows of everybody that whoever says `no` is right, and that most miss it. */
  const plantVersion = (of: World) =>
    t.admin.query(
      `insert into inference_versions (tenant_id, project_id, customer_id, dimension, number, method, reason, gold_tasks, gold_answers,
       gold_items, answers_an_item, answers, trials, temper, doubt, scores_temper, scores_doubt, accuracy, matrix, last_assignment, last_grading)
     values ($1, $2, $3, 'choice', 1, 'DAWID_SKENE', 'CHOSEN_ON_GOLD', 40, 240, 80, 3, 900, '[]', 1, 0, 0.8, 0.05, 0.7, $4, 0, 0)`,
      [
        of.tenantId,
        of.projectId,
        of.customer.customerId,
        {
          yes: { yes: 0.92, no: 0.04, unsure: 0.04 },
          no: { yes: 0.04, no: 0.31, unsure: 0.65 },
          unsure: { yes: 0.04, no: 0.01, unsure: 0.95 },
        },
      ],
    );

  return { choose, work, gold, makeProject, versionsOf, expertsOf, fromScratch, posteriorsOf, plantVersion };
}
