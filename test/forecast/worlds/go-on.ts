import { type Random, randomOf } from '../../../src/services/platform/random.js';
import { normal, type Person, type TrueWorld } from './true-world.js';

const HOUR = 3_600;

/** A batch as it really goes: how long each answer takes, and how many it takes. */
interface Going {
  readonly workClass: number;
  readonly handlingSeconds: number;
  readonly items: number;
  readonly due: number;
  left: number;
  /** Seconds from now when the last answer came. */
  doneAt: number;
}

/**
 * What becomes of the batch in question: seconds until its last answer, Infinity where it is not done while the world lasts. Whoever
 * is there takes what is due first of what they can do, each item once, and works at it until it is done.
 */
export function doneAfter(world: TrueWorld, more: readonly Person[] = []): number {
  const random = randomOf(world.seed, `truth ${world.kind}`);
  const queue = world.works
    .map((work): Going => {
      // Mean 1: what was expected is right on average, and wrong by this much.
      const wrong = Math.exp(work.spread * normal(random) - work.spread ** 2 / 2);
      return {
        ...work,
        left: Math.max(1, Math.round((work.seconds * wrong) / work.handlingSeconds)),
        due: work.deadlineSeconds ?? Number.POSITIVE_INFINITY,
        doneAt: Number.POSITIVE_INFINITY,
      };
    })
    .sort((one, other) => one.due - other.due);
  const asked = queue.find(({ due }) => due === (world.works[0]?.deadlineSeconds ?? Number.NaN)) as Going;
  const people = [...world.people, ...more].map((person) => ({ ...person, given: new Map<Going, number>() }));
  const hours = world.people[0]?.seconds.length ?? 0;
  for (let hour = world.pastHours; hour < hours && asked.left > 0; hour += 1) {
    for (const person of people) {
      workHour(person, {
        queue,
        from: (hour - world.pastHours) * HOUR,
        seconds: person.seconds[hour] ?? 0,
        random,
      });
    }
  }
  return asked.left > 0 ? Number.POSITIVE_INFINITY : asked.doneAt;
}

interface HourOfWork {
  readonly queue: readonly Going[];
  readonly from: number;
  readonly seconds: number;
  readonly random: Random;
}

function workHour(
  { classes, given }: Person & { given: Map<Going, number> },
  { queue, from, seconds, random }: HourOfWork,
): void {
  let spent = 0;
  while (spent < seconds) {
    const next = queue.find(
      (one) => one.left > 0 && classes.includes(one.workClass) && (given.get(one) ?? 0) < one.items,
    );
    if (next === undefined) {
      return;
    }
    spent += next.handlingSeconds * Math.exp(0.5 * normal(random) - 0.125);
    next.left -= 1;
    given.set(next, (given.get(next) ?? 0) + 1);
    next.doneAt = from + Math.min(spent, HOUR);
  }
}
