import { readFile } from 'node:fs/promises';
import pino from 'pino';
import { expect, test, vi } from 'vitest';
import { createScores } from '../../../src/jobs/scores.js';
import { forgetFailures, type WorkFailure } from '../../../src/services/quality/failures.js';
import { showDays } from '../../../src/services/quality/showing/show.js';
import { submitAnswer } from '../../../src/services/routing/submit.js';
import { useTestDb } from '../../support/db.js';
import { answerOf, makeWorld, type World } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { take } from '../../support/work.js';
import { foldScores, mixed, plantGradings } from '../support/graded.js';

// What fails of the job of scores, for one pair or for all, stops nothing else of it (decision 0067).
const t = useTestDb();

const failuresOf = async ({ tenantId }: World) =>
  (await t.admin.query('select job, failures, error from work_failures where tenant_id = $1', [tenantId]))
    .rows;

const shown = ({ tenantId }: World) =>
  numberOf(t.admin, 'select count(*) from shown_scores where tenant_id = $1', [tenantId]);

/** An expert with twenty answers and as many results, of which they have been shown nothing yet. */
async function unshown(): Promise<World> {
  const world = await makeWorld(t.database, { tasks: 20 });
  for (let n = 0; n < 20; n++) {
    const { id: assignmentId, epoch: leaseEpoch } = await take(t.database, world.ada);
    const answer = answerOf('yes');
    await submitAnswer(t.database, world.ada.viewer, { assignmentId, leaseEpoch, answer, confidence: null });
  }
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(20, 15));
  await foldScores(t);
  return world;
}

test('an expert whose figures cannot be shown keeps nobody else from being shown theirs, and is shown them once they can be', async () => {
  const bad = await unshown();
  const good = await unshown();
  await t.admin.query(
    `insert into score_checkpoints (tenant_id, expert_id, skill_id, grading_id, state, updated_at) values ($1, $2, $3, 0, '{', now())`,
    [bad.tenantId, bad.ada.expertId, bad.skillId],
  );
  await t.advance(2 * 86_400);
  const told: WorkFailure[] = [];
  await showDays(t.database, 50, (failure) => told.push(failure));
  expect(told.map(({ subject }) => subject)).toEqual([
    { job: 'showing', tenantId: bad.tenantId, subjectId: bad.ada.expertId, skillId: bad.skillId },
  ]);
  expect([await shown(bad), await shown(good)]).toEqual([0, 1]);
  expect(await failuresOf(bad)).toEqual([{ job: 'showing', failures: 1, error: 'SyntaxError' }]);
  await t.admin.query('delete from score_checkpoints where tenant_id = $1', [bad.tenantId]);
  expect(await showDays(t.database, 50)).toBe(0);
  await t.advance(11);
  await showDays(t.database, 50);
  expect(await shown(bad)).toBe(1);
  expect(await failuresOf(bad)).toEqual([]);
});

/** Work that failed and was due to be tried again so many hours ago. */
const failedLongAgo = ({ tenantId }: World, hours: number) =>
  t.admin.query(
    `insert into work_failures (tenant_id, job, subject_id, failures, error, failed_at, retry_at)
     select $1, 'gold', $2, 5, 'SyntaxError', d.at - interval '1 h', d.at from (select app.clock_now() - make_interval(hours => $2) as at) d`,
    [tenantId, hours],
  );

test('a failure that nobody tried again for a day is of work that is over, and is forgotten', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  await failedLongAgo(world, 23);
  await failedLongAgo(world, 25);
  await forgetFailures(t.database);
  expect(
    (await t.admin.query('select subject_id from work_failures where tenant_id = $1', [world.tenantId])).rows,
  ).toEqual([{ subject_id: '23' }]);
});

test('a piece of the step that throws is told, and those after it are done', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  await failedLongAgo(world, 25);
  const logged: { msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => logged.push(JSON.parse(line)) });
  const job = createScores({ db: t.database, log });
  await t.admin.query('alter function app.watch_adjudications(integer) rename to watch_away');
  job.start();
  try {
    await vi.waitFor(async () => expect(await failuresOf(world)).toEqual([]), { timeout: 60_000 });
  } finally {
    await job.stop();
    await t.admin.query('alter function app.watch_away(integer) rename to watch_adjudications');
  }
  expect(logged.map(({ msg }) => msg)).toContain('waits.failed');
});

test('projects with results of before the watch went by what is new are looked at too', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(2, 1));
  await t.admin.query('delete from watch_dues where tenant_id = $1', [world.tenantId]);
  const migration = await readFile('prisma/migrations/20261206180000_isolated/migration.sql', 'utf8');
  const backfill = migration.slice(migration.indexOf('alter table gradings no force'));
  await t.admin.query(`begin; set local role touchstone_owner; ${backfill} commit`);
  expect(
    (await t.admin.query('select project_id from watch_dues where tenant_id = $1', [world.tenantId])).rows,
  ).toEqual([{ project_id: String(world.projectId) }]);
});
