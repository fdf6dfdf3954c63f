import { setExpertSkill } from '../../../src/services/access/people.js';
import { randomOf } from '../../../src/services/platform/random.js';
import type { TestDb } from '../../support/db.js';
import { type Expert, makeExpert, makeWorld, type World } from '../../support/factories.js';
import { claim, submit } from '../../support/work.js';
import { foldScores, mixed, plantGradings, settle } from './graded.js';

/** Somebody of a season: how often they are right, and which of their claims were given work, in turn. */
export interface Player {
  readonly expert: Expert;
  readonly accuracy: number;
  readonly given: boolean[];
}

export interface SeasonPlan {
  readonly minQuality: number;
  /** How often each is right; all had proven themselves before the season begins. */
  readonly accuracies: readonly number[];
  readonly turns: number;
  readonly seed: number;
}

const HOURS = 3_600;
/** Four turns a day. */
const TURN_SECONDS = 6 * HOURS;
/** Results of the work of one turn. */
const RESULTS = 6;

/**
 * Lets experts claim and submit, turn by turn, with all that follows from results in effect at the end of each turn. Only who is given work
 * has results: nobody is measured whom the claim refuses.
 */
export async function playSeason(
  t: TestDb,
  { minQuality, accuracies, turns, seed }: SeasonPlan,
): Promise<{ world: World; players: readonly Player[] }> {
  const tasks = turns * accuracies.length;
  const world = await makeWorld(t.database, { experts: 3, tasks, project: { minQuality } });
  const players: Player[] = [];
  for (const accuracy of accuracies) {
    const expert = await newcomerOf(t, world);
    await plantGradings(t.admin, { world, expert }, mixed(40, 40));
    players.push({ expert, accuracy, given: [] });
  }
  const random = randomOf(seed, 'season');
  for (let turn = 0; turn < turns; turn++) {
    await foldScores(t);
    await settle(t);
    await t.advance(TURN_SECONDS);
    await playTurn(t, { world, players, random });
  }
  return { world, players };
}

async function newcomerOf(t: TestDb, world: World): Promise<Expert> {
  const expert = await makeExpert(t.database, world, []);
  const change = { expertId: expert.expertId, skillId: world.skillId, status: 'PROBATION' } as const;
  await setExpertSkill(t.database, world.operator, { ...change, qualityMean: null, qualityLower: null });
  return expert;
}

async function playTurn(
  t: TestDb,
  { world, players, random }: { world: World; players: readonly Player[]; random: () => number },
): Promise<void> {
  const claims = await Promise.all(players.map(({ expert }) => claim(t.database, expert)));
  for (const [n, { expert, accuracy, given }] of players.entries()) {
    const got = claims[n];
    given.push(got !== undefined && 'held' in got);
    if (got !== undefined && 'held' in got) {
      await submit(t.database, expert, got.held);
      const results = Array.from({ length: RESULTS }, () => ({ isRight: random() < accuracy }));
      await plantGradings(t.admin, { world, expert }, results);
    }
  }
}
