import type { Work } from '../../../src/services/forecast/capacity/one-future.js';
import type { World } from '../../../src/services/forecast/capacity/outlook.js';
import { type Random, randomOf } from '../../../src/services/platform/random.js';

// Worlds whose truth is known: who works when, who leaves, what is asked for, and what becomes of it. The forecast is given what it
// could know at a moment; the world then goes on by itself, hour by hour and answer by answer.

const HOUR = 3_600;
const WEEK = 168;
const PAST_WEEKS = 8;
const FUTURE_WEEKS = 16;

/** What there is to a world besides nights and weekends. */
export const KINDS = ['plain', 'rare', 'competing', 'leaving'] as const;
export type Kind = (typeof KINDS)[number];

/** One expert: what they can do, and the seconds that they work in each hour, past and to come. */
export interface Person {
  readonly classes: readonly number[];
  readonly seconds: Float64Array;
}

/** The batch in question is `works[0]`. */
export interface TrueWorld {
  readonly kind: Kind;
  readonly people: readonly Person[];
  readonly works: readonly Work[];
  /** Hours of the past that {@link Person.seconds} begin with. */
  readonly pastHours: number;
  readonly seed: number;
}

/** Classes of work: two that many can do, and one that is rare. */
export const RARE = 2;

/** The world of a seed. */
export function worldOf(seed: number, kind: Kind): TrueWorld {
  const random = randomOf(seed, `world ${kind}`);
  const people = peopleOf(kind, random);
  return { kind, people, works: worksOf(kind, people, random), pastHours: PAST_WEEKS * WEEK, seed };
}

/** What a forecast may know of it. */
export function knownOf({ people, works, pastHours }: TrueWorld): World {
  return {
    // A Monday at midnight, as the hours of the people are counted.
    now: new Date('2026-03-02T00:00:00Z'),
    experts: people.map(({ classes, seconds }) => ({
      classes,
      seconds: Int16Array.from(seconds.subarray(0, pastHours)),
    })),
    works,
  };
}

function peopleOf(kind: Kind, random: Random): Person[] {
  const count = 6 + Math.floor(random() * 14);
  const common = Array.from({ length: count }, () => {
    const of = random();
    return person(of < 0.35 ? [0] : of < 0.7 ? [1] : [0, 1], kind, random);
  });
  // The rare one can do something common too, half of the time.
  return kind === 'rare' ? [...common, person(random() < 0.5 ? [RARE] : [0, RARE], kind, random)] : common;
}

/** Works some hours of most workdays in a zone of their own, seldom at weekends; some weeks more than others. */
function person(classes: readonly number[], kind: Kind, random: Random): Person {
  const habit = {
    begins: 6 + Math.floor(random() * 6),
    hours: 3 + Math.floor(random() * 6),
    workday: 0.5 + random() * 0.45,
    weekend: random() < 0.3 ? 0.4 : 0.05,
    share: 0.4 + random() * 0.6,
  };
  const hazard = kind === 'leaving' ? 0.06 : 0.005;
  const seconds = new Float64Array((PAST_WEEKS + FUTURE_WEEKS) * WEEK);
  for (let week = 0; week < PAST_WEEKS + FUTURE_WEEKS && random() > (week < 1 ? 0 : hazard); week += 1) {
    const eager = Math.exp(0.3 * normal(random));
    for (let day = 0; day < 7; day += 1) {
      const comes = random() < Math.min(0.98, (day < 5 ? habit.workday : habit.weekend) * eager);
      for (let hour = 0; comes && hour < habit.hours; hour += 1) {
        const at = week * WEEK + day * 24 + habit.begins + hour;
        seconds[at] = Math.round(HOUR * Math.min(1, habit.share * (0.7 + 0.6 * random())));
      }
    }
  }
  return { classes, seconds };
}

function worksOf(kind: Kind, people: readonly Person[], random: Random): Work[] {
  const workClass = kind === 'rare' ? RARE : Math.floor(random() * 2);
  const weekly = (of: number) =>
    people
      .filter(({ classes }) => classes.includes(of))
      .reduce((sum, { seconds }) => sum + total(seconds, (PAST_WEEKS - 4) * WEEK, PAST_WEEKS * WEEK) / 4, 0);
  const able = Math.max(HOUR, weekly(workClass));
  const days = 3 + random() * 18;
  const deadlineSeconds = days * 24 * HOUR;
  // From a third of what there is until then to half as much again.
  const seconds = able * (days / 7) * (0.35 + random() * 1.1);
  const works = [work(1n, { workClass, seconds, deadlineSeconds }, random)];
  const other = workClass === 0 ? 1 : 0;
  const share = kind === 'competing' ? 0.3 + random() * 0.4 : 0.1;
  const due = deadlineSeconds * (kind === 'competing' ? 0.4 + random() * 0.5 : 0.9);
  works.push(
    work(
      2n,
      { workClass: other, seconds: weekly(other) * (due / HOUR / WEEK) * share, deadlineSeconds: due },
      random,
    ),
  );
  if (kind === 'competing') {
    const wanted = able * (due / HOUR / WEEK) * (0.1 + random() * 0.4);
    works.push(work(3n, { workClass, seconds: wanted, deadlineSeconds: due }, random));
  }
  return works;
}

const work = (
  id: bigint,
  of: Pick<Work, 'workClass' | 'seconds' | 'deadlineSeconds'>,
  random: Random,
): Work => {
  const handlingSeconds = 60 + Math.floor(random() * 400);
  // Two answers an item, and one where only one can give it.
  const answers = (of.workClass === RARE ? 1.5 : 0.5) * (of.seconds / handlingSeconds);
  const items = Math.max(1, Math.ceil(answers));
  return { id, projectId: id, ...of, spread: 0.12, items, handlingSeconds, leaseSeconds: 1_800 };
};

const total = (seconds: Float64Array, from: number, to: number) =>
  seconds.subarray(from, to).reduce((sum, of) => sum + of, 0);

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
