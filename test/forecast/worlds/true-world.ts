import { type Random, randomOf } from '../../../src/services/platform/random.js';

// Worlds whose truth is known: who works when, who leaves, what is asked for, and what becomes of it. The forecast is given what it
// could know at a moment (./known.ts); the world then goes on by itself, hour by hour and answer by answer (./go-on.ts).

export const HOUR = 3_600;
const WEEK = 168;
const PAST_WEEKS = 8;
const FUTURE_WEEKS = 16;
export const PAST_HOURS = PAST_WEEKS * WEEK;

/** What there is to a world besides nights and weekends. */
export const KINDS = ['plain', 'rare', 'competing', 'arriving', 'leaving'] as const;
export type Kind = (typeof KINDS)[number];

/** One expert: what they can do, and the seconds that they work in each hour, past and to come. */
export interface Person {
  readonly skills: readonly number[];
  readonly seconds: Float64Array;
}

/** A batch of a project of its own. */
export interface Job {
  readonly id: number;
  readonly skill: number;
  readonly items: number;
  /** Answers that each item wants. */
  readonly wanted: number;
  /** What an answer takes by the mean, and what it is believed to take before any was seen. */
  readonly handlingSeconds: number;
  readonly usualSeconds: number;
  /** Both in seconds from the beginning. */
  readonly startsAt: number;
  readonly deadline: number;
}

/** The batch in question is `jobs[0]`. */
export interface TrueWorld {
  readonly kind: Kind;
  readonly seed: number;
  readonly people: readonly Person[];
  readonly jobs: readonly Job[];
}

/** How much what an answer took in other batches of a project is off: standard deviation of the logarithm. */
export const USUAL = 0.15;

/** The skill of one expert alone. */
export const RARE = 9;

/** The world of a seed. */
export function worldOf(seed: number, kind: Kind): TrueWorld {
  const random = randomOf(seed, `world ${kind}`);
  const skills = 3 + Math.floor(random() * 5);
  const people = peopleOf({ kind, skills, random });
  return { kind, seed, people, jobs: jobsOf({ kind, skills, people, random }) };
}

interface Making {
  readonly kind: Kind;
  /** How many there are, from 0 on. */
  readonly skills: number;
  readonly random: Random;
}

function peopleOf({ kind, skills, random }: Making): Person[] {
  const count = 6 + Math.floor(random() * 18);
  // Some weeks are slack for everybody.
  const common = Array.from({ length: PAST_WEEKS + FUTURE_WEEKS }, () => Math.exp(0.12 * normal(random)));
  const several = () => {
    const own = [Math.floor(random() * skills), Math.floor(random() * skills), Math.floor(random() * skills)];
    return [...new Set(own.slice(0, 1 + Math.floor(random() * 3)))];
  };
  const all = Array.from({ length: count }, () => personOf(several(), { kind, common, random }));
  // The rare one can do something common too, half of the time.
  const rare = () => personOf(random() < 0.5 ? [RARE] : [0, RARE], { kind, common, random });
  return kind === 'rare' ? [...all, rare()] : all;
}

/** Works some hours of most workdays in a zone of their own, seldom at weekends; some weeks more than others. */
function personOf(
  skills: readonly number[],
  { kind, common, random }: Pick<Making, 'kind' | 'random'> & { common: readonly number[] },
): Person {
  const habit = {
    begins: 6 + Math.floor(random() * 6),
    hours: 3 + Math.floor(random() * 6),
    workday: 0.5 + random() * 0.45,
    weekend: random() < 0.3 ? 0.4 : 0.05,
    share: 0.4 + random() * 0.6,
  };
  const hazard = kind === 'leaving' ? 0.06 : 0.005;
  const seconds = new Float64Array((PAST_WEEKS + FUTURE_WEEKS) * WEEK);
  for (let week = 0; week < common.length && random() > (week < 1 ? 0 : hazard); week += 1) {
    const eager = (common[week] ?? 1) * Math.exp(0.3 * normal(random));
    for (let day = 0; day < 7; day += 1) {
      const comes = random() < Math.min(0.98, (day < 5 ? habit.workday : habit.weekend) * eager);
      for (let hour = 0; comes && hour < habit.hours; hour += 1) {
        const at = week * WEEK + day * 24 + habit.begins + hour;
        seconds[at] = Math.round(HOUR * Math.min(1, habit.share * (0.7 + 0.6 * random())));
      }
    }
  }
  return { skills, seconds };
}

function jobsOf({ kind, skills, people, random }: Making & { people: readonly Person[] }): Job[] {
  const skill = kind === 'rare' ? RARE : Math.floor(random() * skills);
  const days = 3 + random() * 18;
  const deadline = days * 24 * HOUR;
  const make = (id: number, of: { skill: number; load: number; startsAt?: number; deadline: number }) =>
    jobOf(id, { startsAt: 0, ...of }, { people, random });
  // From a third of what there is until then to half as much again.
  const jobs = [make(1, { skill, load: 0.35 + random() * 1.1, deadline })];
  for (let other = 0; other < skills; other += 1) {
    if (other !== skill && random() < 0.6) {
      jobs.push(
        make(10 + other, {
          skill: other,
          load: 0.05 + random() * 0.3,
          deadline: deadline * (0.5 + random()),
        }),
      );
    }
  }
  if (kind === 'competing') {
    const due = deadline * (0.4 + random() * 0.5);
    jobs.push(make(2, { skill, load: 0.1 + random() * 0.4, deadline: due }));
  }
  if (kind === 'arriving') {
    const startsAt = deadline * (0.4 + random() * 0.2);
    const due = startsAt + deadline * (0.2 + random() * 0.5);
    jobs.push(make(2, { skill, load: 0.1 + random() * 0.4, startsAt, deadline: due }));
  }
  return jobs;
}

/** @param load of the hours that those who can do it have until its deadline */
function jobOf(
  id: number,
  { skill, load, startsAt, deadline }: { skill: number; load: number; startsAt: number; deadline: number },
  { people, random }: { people: readonly Person[]; random: Random },
): Job {
  const able = people.filter(({ skills }) => skills.includes(skill));
  const weekly = able.reduce(
    (sum, { seconds }) => sum + total(seconds, PAST_HOURS - 4 * WEEK, PAST_HOURS) / 4,
    0,
  );
  const seconds = Math.max(HOUR, weekly) * ((deadline - startsAt) / HOUR / WEEK) * load;
  const handlingSeconds = 60 + Math.floor(random() * 400);
  const wanted = Math.min(2, Math.max(1, able.length));
  const items = Math.max(1, Math.round(seconds / handlingSeconds / wanted));
  const usualSeconds = handlingSeconds * Math.exp(USUAL * normal(random));
  return { id, skill, items, wanted, handlingSeconds, usualSeconds, startsAt, deadline };
}

const total = (seconds: Float64Array, from: number, to: number) =>
  seconds.subarray(from, to).reduce((sum, of) => sum + of, 0);

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
