import { type Random, randomOf } from '../../../src/services/platform/random.js';
import { liftsOf } from '../../../src/services/routing/lifts.js';
import { HOUR, type Job, normal, PAST_HOURS, type Person, type TrueWorld } from './true-world.js';

/** Who is served first: what is due first, or projects by their weights as the queue does it, lifted as far as their deadlines need. */
export type Order = 'deadline' | 'weight';

/** A batch as it really goes. */
export interface Going {
  readonly job: Job;
  /** Who has answered each item, by their places. */
  readonly answers: number[][];
  /** What each answer took, and when it came in seconds from the beginning. */
  readonly took: number[];
  readonly came: number[];
  /** The item that each expert comes to next. */
  readonly next: Map<number, number>;
  left: number;
}

/** A world that goes on. */
export interface Truth {
  readonly going: readonly Going[];
  /** Goes on until so many seconds from the beginning, or until what is asked about is done. */
  run(until: number): void;
  /** Seconds from the beginning when the batch in question was done; Infinity while it is not. */
  doneAt(): number;
}

/** What becomes of a world: whoever is there takes an item that they have not answered, and works at it until it is done. */
export function truthOf(
  world: TrueWorld,
  { order, more = [] }: { order: Order; more?: readonly Person[] },
): Truth {
  const random = randomOf(world.seed, `truth ${world.kind}`);
  const going = world.jobs.map(
    (job): Going => ({
      job,
      answers: Array.from({ length: job.items }, () => []),
      took: [],
      came: [],
      next: new Map(),
      left: job.items * job.wanted,
    }),
  );
  const people = [...world.people, ...more];
  const [asked] = going as [Going, ...Going[]];
  const owed = new Float64Array(people.length);
  let hour = 0;
  const hours = (people[0]?.seconds.length ?? 0) - PAST_HOURS;
  return {
    going,
    run(until) {
      while (hour < hours && hour * HOUR < until && asked.left > 0) {
        const open = going.filter(({ job, left }) => job.startsAt <= hour * HOUR && left > 0);
        const queue = queueOf(open, { order, people, hour });
        for (const [place, person] of people.entries()) {
          workHour({ place, person, hour, random, owed }, queue);
        }
        hour += 1;
      }
    },
    doneAt: () => (asked.left > 0 ? Number.POSITIVE_INFINITY : (asked.came.at(-1) ?? 0)),
  };
}

/** Whose turn it is among what an expert may do: the least of these first. */
type Queue = readonly { readonly one: Going; turn(): number }[];

function queueOf(
  open: readonly Going[],
  { order, people, hour }: { order: Order; people: readonly Person[]; hour: number },
): Queue {
  if (order === 'deadline') {
    return open.map((one) => ({ one, turn: () => one.job.deadline }));
  }
  const lifts = new Map<Going, number>();
  for (const skill of new Set(open.map(({ job }) => job.skill))) {
    const flows = open.filter(({ job }) => job.skill === skill);
    const perHour = flows.map(({ job }) => HOUR / job.handlingSeconds);
    const contenders = flows.map(({ job, left }) => ({
      weight: 10,
      openAnswers: left,
      hoursLeft: job.deadline / HOUR - hour,
    }));
    const rate =
      (perHour.reduce((sum, one) => sum + one, 0) / perHour.length) * hoursOf(people, { skill, hour });
    liftsOf(contenders, rate).forEach((lift, place) => {
      lifts.set(flows[place] as Going, lift);
    });
  }
  const served = new Map(open.map((one) => [one, one.left]));
  return open.map((one) => ({
    one,
    turn: () => ((served.get(one) ?? 0) - one.left) / (lifts.get(one) ?? 1),
  }));
}

/** Experts' hours an hour, of the last week by the mean. */
const hoursOf = (people: readonly Person[], { skill, hour }: { skill: number; hour: number }): number =>
  people
    .filter(({ skills }) => skills.includes(skill))
    .reduce((sum, { seconds }) => {
      const to = PAST_HOURS + hour;
      return sum + seconds.subarray(to - 168, to).reduce((all, of) => all + of, 0) / HOUR / 168;
    }, 0);

interface AtWork {
  readonly place: number;
  readonly person: Person;
  readonly hour: number;
  readonly random: Random;
  /** What the last answer of each took beyond their time: it is of the next hours that they work. */
  readonly owed: Float64Array;
}

function workHour({ place, person, hour, random, owed }: AtWork, queue: Queue): void {
  const there = person.seconds[PAST_HOURS + hour] ?? 0;
  const seconds = Math.max(0, there - (owed[place] ?? 0));
  owed[place] = Math.max(0, (owed[place] ?? 0) - there);
  const able = seconds > 0 ? queue.filter(({ one }) => person.skills.includes(one.job.skill)) : [];
  let spent = 0;
  while (spent < seconds) {
    const [first] = able
      .filter(({ one }) => one.left > 0 && nextItem(one, place) !== null)
      .sort((one, other) => one.turn() - other.turn());
    if (first === undefined) {
      return;
    }
    const { one } = first;
    const took = one.job.handlingSeconds * Math.exp(0.5 * normal(random) - 0.125);
    spent += took;
    one.answers[nextItem(one, place) ?? 0]?.push(place);
    one.left -= 1;
    one.took.push(took);
    one.came.push(hour * HOUR + Math.min(there - seconds + spent, HOUR));
  }
  owed[place] = (owed[place] ?? 0) + Math.max(0, spent - seconds);
}

/** Items come in their order, to each expert once, until they have what they want. */
function nextItem({ job, answers, next }: Going, place: number): number | null {
  let item = next.get(place) ?? 0;
  while (item < job.items && ((answers[item]?.length ?? 0) >= job.wanted || answers[item]?.includes(place))) {
    item += 1;
  }
  next.set(place, item);
  return item < job.items ? item : null;
}
