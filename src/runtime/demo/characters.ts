import { type Random, randomOf } from '../../services/platform/random.js';
import { LIVELY_SKILLS, type LivelySkill } from './lively-work.js';

/** How one simulated expert is: drawn once from a seed and a number, and the same ever after. */
export interface Character {
  /** "expert-017": what the expert is called, and the subject of its tokens. */
  readonly name: string;
  readonly skills: readonly LivelySkill[];
  /** On probation at first, without anybody's word for them. */
  readonly isNewcomer: boolean;
  /** How often an answer is right, by skill. */
  readonly accuracy: (skill: LivelySkill) => number;
  /** Whoever does not read, and answers at once. */
  readonly isCareless: boolean;
  /** Times what an answer takes on average. */
  readonly slowness: number;
  /** Hours east of Greenwich. */
  readonly zoneHours: number;
  /** Hours of their own day at which they begin and end, 0 to 24. */
  readonly shift: readonly [from: number, to: number];
  readonly worksWeekends: boolean;
  /** How many answers one sitting has, on average. */
  readonly sitting: number;
  /** How often a sitting ends in the middle of a task: the laptop is closed, and nobody says goodbye. */
  readonly lapse: number;
  /** How often a task is given back or flagged. */
  readonly refusal: number;
  /** How often somebody who rises from their desk does not come back. */
  readonly leaving: number;
}

/** Of a hundred experts so many have a skill; the last is rare. */
const SHARE: Readonly<Record<LivelySkill, number>> = {
  English: 0.55,
  Arithmetic: 0.5,
  'Customer care': 0.4,
  German: 0.25,
  'Contract law': 0.04,
};

/** Where experts live, the likelier the more often it is named. */
const ZONES = [-8, -5, -5, -3, 0, 1, 1, 1, 2, 3, 5.5, 5.5, 8, 8, 9, 10] as const;

/** The number (from 1) of whoever is careless, of any crowd. */
const CARELESS = 13;

/** Expert number `n`, from 1. */
export function characterOf(seed: number, n: number): Character {
  const name = `expert-${String(n).padStart(3, '0')}`;
  const random = randomOf(seed, name);
  const isCareless = n === CARELESS;
  const isNewcomer = !isCareless && random() < 0.15;
  const begin = 6 + 6 * random();
  const ability = 0.8 + 0.17 * random();
  return {
    name,
    isCareless,
    isNewcomer,
    skills: isCareless ? ['English'] : skillsOf(n, random),
    accuracy: (skill) => (isCareless ? 0.3 : ability + 0.02 * randomOf(seed, `${name} ${skill}`)()),
    slowness: (isCareless ? 0.1 : 1) * Math.exp(0.4 * normal(random)),
    zoneHours: ZONES[Math.floor(random() * ZONES.length)] ?? 0,
    // Whoever is careless is so around the clock, so that one sees what comes of it.
    shift: isCareless ? [0, 24] : [begin, begin + 5 + 5 * random()],
    worksWeekends: random() < 0.4,
    sitting: (isCareless ? 100 : 8) + 30 * random(),
    lapse: isCareless ? 0 : 0.02 + 0.08 * random(),
    refusal: 0.02 * random(),
    leaving: 0.01 * random(),
  };
}

/** Everybody has one skill at least; the first few have the rare one, so that a small crowd has somebody for all work. */
function skillsOf(n: number, random: Random): LivelySkill[] {
  const drawn = LIVELY_SKILLS.filter((skill) => random() < SHARE[skill]);
  if (n <= LIVELY_SKILLS.length) {
    return [...LIVELY_SKILLS];
  }
  return drawn.length > 0 ? drawn : ['English'];
}

/** Normally distributed, by Box and Muller. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
