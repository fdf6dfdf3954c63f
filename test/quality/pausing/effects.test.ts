import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/services/platform/database.js';
import { applyEffects } from '../../../src/services/quality/pausing/effects.js';
import {
  calibrationOf,
  noticesOf,
  scoresOf,
  standingsOf,
} from '../../../src/services/quality/reads/expert-quality.js';
import { pauseExpert, resumeExpert } from '../../../src/services/routing/pauses.js';
import { useTestDb } from '../../support/db.js';
import { type Expert, makeWorld, type World } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { answerNext, emptyReason } from '../../support/work.js';
import { foldScores, mixed, plantGradings } from '../support/graded.js';
import { shownOf } from './support/shown.js';

// Rule 10: what results decide comes into effect at an instant that does not point at the answer that decided it.
const t = useTestDb();
const { seenBy, everythingShownTo } = shownOf(t);

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

/** Gold by which results decide that the expert is warned and then paused, and the fold of it. */
async function tip(world: World, expert: Expert): Promise<void> {
  await plantGradings(t.admin, { world, expert }, mixed(20, 4));
  await foldScores(t);
}

const pendingOf = async ({ expertId }: Expert) =>
  (
    await rows(
      `select extract(epoch from e.due_at - e.decided_at)::float8 as wait, greatest(e.answers_min, e.shown_min - s.n)::int as least,
         greatest(e.answers_max, e.shown_max - s.n)::int as most
       from skill_effects e
       left join shown_marks m on m.tenant_id = e.tenant_id and m.expert_id = e.expert_id and m.skill_id = e.skill_id
       cross join lateral (select count(*) as n from assignments a where a.tenant_id = e.tenant_id and a.expert_id = e.expert_id
         and a.submitted_at is not null and a.id > coalesce(m.after_assignment, 0)) s
       where e.expert_id = $1 and e.applied_at is null`,
      [expertId],
    )
  )[0];

/** Answers so many tasks, and brings into effect what is due. */
async function work(expert: Expert, answers: number): Promise<void> {
  for (let n = 0; n < answers; n++) {
    await answerNext(t.database, expert);
  }
  await look();
}

/** Looks at all that waits, also what would be looked at a little later. */
async function look(database = t.database): Promise<void> {
  await t.admin.query('update skill_effects set look_at = app.clock_now() where applied_at is null');
  await applyEffects(database, 50);
}

test('between decision and effect an expert reads and does what one does of whom nothing was decided', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 40 });
  const { ada, bob } = world;
  for (const expert of [ada, bob]) {
    await plantGradings(t.admin, { world, expert }, mixed(2, 2));
    await work(expert, 2);
  }
  await tip(world, ada);
  await plantGradings(t.admin, { world, expert: bob }, mixed(20, 20));
  await foldScores(t);
  for (const expert of [ada, bob]) {
    await work(expert, 3);
    expect(await emptyReason(t.database, expert)).toBe('GIVEN');
  }
  const [tipped, other] = [await everythingShownTo(world, ada), await everythingShownTo(world, bob)];
  expect(Object.values(tipped).flat().length).toBeGreaterThan(20);
  expect(tipped).toEqual(other);
  const staff = await seenBy('ANALYST', { world, expert: ada }, (tx) => standingsOf(tx, ada.expertId));
  expect(staff).toMatchObject([{ phase: 'PAUSED', inEffect: false }]);
  expect(
    await seenBy('ANALYST', { world, expert: ada }, (tx) => noticesOf(tx, ada.expertId, 9)),
  ).toHaveLength(2);
  await expectRulesHold(t.database);
});

test('an analyst who is an expert too sees of themselves what the expert does, and of others everything', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 120 });
  const { ada, bob } = world;
  await tip(world, ada);
  await tip(world, bob);
  const of = (who: 'EXPERT' | 'BOTH', { expertId }: Expert) =>
    seenBy(who, { world, expert: ada }, async (tx) => ({
      scores: await scoresOf(tx, expertId),
      calibration: await calibrationOf(tx, expertId),
      standings: await standingsOf(tx, expertId),
      notices: await noticesOf(tx, expertId, 9),
    }));
  const same = async () => {
    const own = await of('BOTH', ada);
    expect(own).toEqual(await of('EXPERT', ada));
    return own;
  };
  expect(await same()).toEqual({ scores: [], calibration: null, standings: [], notices: [] });
  const others = await of('BOTH', bob);
  expect(others).toMatchObject({ standings: [{ phase: 'PAUSED' }], notices: [{}, {}] });
  expect(others.scores).not.toEqual([]);
  await work(ada, (await pendingOf(ada)).most);
  // What they are told of they are told with what it rests on.
  expect(await same()).toMatchObject({
    scores: [{ seen: 20 }],
    standings: [{ phase: 'WARNED' }],
    notices: [{ right: 4, of: 20 }],
  });
});

test('a decision is in effect after the minutes and the answers that were drawn for it, a warning before the pause', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 130 });
  const { ada } = world;
  await tip(world, ada);
  const told = async () =>
    (await seenBy('EXPERT', { world, expert: ada }, (tx) => noticesOf(tx, ada.expertId, 9))).map(
      ({ phase }) => phase,
    );
  const warning = await pendingOf(ada);
  await work(ada, warning.least);
  expect(await told()).toEqual([]); // not the minutes
  await t.advance(warning.wait);
  await work(ada, 0);
  expect(await told()).toEqual(['WARNED']);
  expect(await emptyReason(t.database, ada)).toBe('GIVEN');
  const pause = await pendingOf(ada);
  await t.advance(pause.wait);
  await work(ada, 0);
  expect(await told()).toEqual(['WARNED']); // not the answers
  const other = openDatabase({ url: t.url });
  for (let n = 0; n < pause.least; n++) {
    await answerNext(t.database, ada);
  }
  await look(other); // (what is due is in the database, and no process need live)
  await other.close();
  expect(await told()).toEqual(['PAUSED', 'WARNED']);
  expect(await emptyReason(t.database, ada)).toBe('PAUSED');
  const [seen] = await seenBy('EXPERT', { world, expert: ada }, (tx) => standingsOf(tx, ada.expertId));
  const [decided] = await rows(`select at from standing_notices where expert_id = $1 and phase = 'PAUSED'`, [
    ada.expertId,
  ]);
  expect(seen).toMatchObject({ phase: 'PAUSED', reason: 'ACCURACY_BELOW_BAR' });
  expect((seen?.since?.getTime() ?? 0) - decided.at.getTime()).toBeGreaterThan(240_000);
  expect((seen?.retestFrom?.getTime() ?? 0) - (seen?.since?.getTime() ?? 0)).toBe(86_400_000);
  await expectRulesHold(t.database);
});

test('somebody who answers fast is stopped after so many answers, somebody who answers no more after a month or two', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 190 });
  const { ada, bob } = world;
  await tip(world, ada);
  await tip(world, bob);
  for (const phase of ['WARNED', 'PAUSED']) {
    const { most } = await pendingOf(ada);
    await work(ada, most - 1);
    const shown = () => rows('select phase from shown_standings where expert_id = $1', [ada.expertId]);
    expect((await shown())[0]?.phase).not.toBe(phase);
    await work(ada, 1);
    expect(await shown()).toEqual([{ phase }]);
  }
  expect(await emptyReason(t.database, bob)).toBe('GIVEN');
  for (const phase of ['WARNED', 'PAUSED']) {
    await t.advance(29 * 86_400);
    await look();
    expect(
      (await rows('select phase from shown_standings where expert_id = $1', [bob.expertId]))[0]?.phase,
    ).not.toBe(phase);
    await t.advance(31 * 86_400);
    await look();
  }
  expect(await rows('select phase from shown_standings where expert_id = $1', [bob.expertId])).toEqual([
    { phase: 'PAUSED' },
  ]);
});

test('probation that results have ended goes on until that is in effect', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 90 });
  const { ada } = world;
  await t.admin.query(`update expert_skills set status = 'PROBATION' where expert_id = $1`, [ada.expertId]);
  await plantGradings(t.admin, { world, expert: ada }, mixed(20, 20));
  await foldScores(t);
  const status = async () =>
    (await rows('select status from expert_skills where expert_id = $1', [ada.expertId]))[0]?.status;
  expect(await rows('select is_over from probations where expert_id = $1', [ada.expertId])).toEqual([
    { is_over: true },
  ]);
  expect(await status()).toBe('PROBATION');
  await work(ada, (await pendingOf(ada)).most);
  expect(await status()).toBe('ACTIVE');
  await expectRulesHold(t.database);
});

test('what a human decides is in effect at once, whatever waits', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 3 });
  const { ada } = world;
  await tip(world, ada);
  await work(ada, 1);
  await pauseExpert(t.database, world.operator, {
    expertId: ada.expertId,
    skillId: world.skillId,
    reason: 'Asked for a break.',
    withdraw: false,
  });
  expect(await emptyReason(t.database, ada)).toBe('PAUSED');
  await foldScores(t);
  expect(
    await rows('select phase, reason from shown_standings where expert_id = $1', [ada.expertId]),
  ).toEqual([{ phase: 'PAUSED', reason: 'HUMAN' }]);
  await expectRulesHold(t.database);
});

test('a pause that is decided and not in effect is lifted by a human like one that is', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 60 });
  const { ada } = world;
  await tip(world, ada);
  await t.advance(1);
  const lift = { expertId: ada.expertId, skillId: world.skillId, reason: 'Looked at.' };
  await resumeExpert(t.database, world.operator, lift);
  await foldScores(t);
  expect(
    await rows('select phase, reason from shown_standings where expert_id = $1', [ada.expertId]),
  ).toEqual([{ phase: 'CLEAR', reason: 'HUMAN' }]);
  await work(ada, 41);
  expect(await emptyReason(t.database, ada)).toBe('GIVEN');
  await expectRulesHold(t.database);
});

test('what claims are filtered by waits too, for somebody who answers little some days; nothing is told with it', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 6 });
  const { ada } = world;
  await tip(world, ada);
  await work(ada, 3);
  const gate = async () =>
    (
      await rows('select quality_lower < vouched_lower as is_low from expert_skills where expert_id = $1', [
        ada.expertId,
      ])
    )[0]?.is_low;
  await t.advance(2 * 86_400 - 60);
  await look();
  expect(await gate()).toBe(false);
  await t.advance(4 * 86_400 + 60);
  await look();
  expect(await gate()).toBe(true);
  expect(await rows('select phase from shown_standings where expert_id = $1', [ada.expertId])).toEqual([]);
  await expectRulesHold(t.database);
});

test('a wait that is not over is looked at the more rarely the older it is', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 6 });
  await tip(world, world.ada);
  const nextLook = async () =>
    (
      await rows(
        `select extract(epoch from look_at - app.clock_now())::float8 as seconds from skill_effects where expert_id = $1 and applied_at is null`,
        [world.ada.expertId],
      )
    )[0]?.seconds;
  for (const age of [3_600, 86_400]) {
    await t.advance(age);
    await applyEffects(t.database, 50);
    expect(await nextLook()).toBeGreaterThan(age / 20 - 5);
    expect(await nextLook()).toBeLessThan(age / 10);
  }
});

test('draws are even, within their bounds, the same for the same decision and others for another seed', async () => {
  const drawn = async () =>
    (await rows(`select app.draw(n::text) as d from generate_series(1, 4000) n order by n`, [])).map(
      ({ d }) => Number(d),
    );
  const first = await drawn();
  const mean = first.reduce((sum, d) => sum + d, 0) / first.length;
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.02); // four standard errors
  expect(Math.min(...first)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...first)).toBeLessThan(1);
  expect(await drawn()).toEqual(first);
  await t.admin.query(`update effect_seed set seed = sha256(seed)`);
  expect(await drawn()).not.toEqual(first);
  const waits = await rows(
    `select extract(epoch from due_at - decided_at)::float8 as wait, answers_min as least, answers_max as most from skill_effects`,
    [],
  );
  for (const { wait, least, most } of waits) {
    expect([wait >= 120 && wait < 600.001, least >= 4 && least <= 23, most >= 24 && most <= 43]).toEqual([
      true,
      true,
      true,
    ]);
  }
  expect(new Set(waits.map(({ wait }) => wait)).size).toBe(waits.length);
});
