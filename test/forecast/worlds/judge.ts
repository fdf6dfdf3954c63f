import { outlook } from '../../../src/services/forecast/capacity/outlook.js';
import { chanceWithin } from '../../../src/services/forecast/quantiles.js';
import { sampleOf } from '../../../src/services/forecast/sample.js';
import { doneAfter } from './go-on.js';
import { KINDS, type Kind, knownOf, type Person, RARE, worldOf } from './true-world.js';

/** What was said of one world, and what came true. */
export interface Told {
  readonly kind: Kind;
  readonly stated: number;
  readonly happened: boolean;
  /** Of a rare skill that holds the deadline up: whether it was named, and nothing else. */
  readonly namedRightly: boolean | null;
  /** Of a deadline that was missed though hours were asked for: whether it is made with them. */
  readonly fixed: boolean | null;
}

/** Forecasts one world and lets it come true; and once more with the hours that were asked for. */
export function judge(seed: number, kind: Kind = KINDS[seed % KINDS.length] ?? 'plain'): Told {
  const world = worldOf(seed, kind);
  const [asked] = world.works;
  const [told] = outlook(knownOf(world), { seed, only: new Set([1n]) });
  if (asked === undefined || told === undefined) {
    throw new Error('A world without work.');
  }
  const deadline = asked.deadlineSeconds ?? Number.NaN;
  const happened = doneAfter(world) <= deadline;
  const stated = chanceWithin(sampleOf(told.worlds), deadline);
  const isShort = !happened && (told.missingHours ?? 0) > 0;
  return {
    kind,
    stated,
    happened,
    namedRightly:
      kind === 'rare' && isShort && stated < 0.5
        ? told.binding.length === 1 && told.binding[0] === RARE
        : null,
    fixed: isShort
      ? doneAfter(world, helpers(asked.workClass, { hours: told.missingHours ?? 0, deadline, world })) <=
        deadline
      : null,
  };
}

interface Help {
  readonly hours: number;
  readonly deadline: number;
  readonly world: ReturnType<typeof worldOf>;
}

/** Three more who can do it, and together work so many hours, spread over the time until the deadline. */
function helpers(workClass: number, { hours, deadline, world }: Help): Person[] {
  const until = Math.max(1, Math.floor(deadline / 3_600));
  // Nobody works more than a whole hour in an hour: as many as it takes.
  const count = Math.max(3, Math.ceil(hours / until));
  return Array.from({ length: count }, () => {
    const seconds = new Float64Array(world.people[0]?.seconds.length ?? 0);
    seconds.fill((hours * 3_600) / count / until, world.pastHours, world.pastHours + until);
    return { classes: [workClass], seconds };
  });
}

/** Tenths of what was stated: how often it came true. */
export function reliabilityOf(told: readonly Told[]) {
  return Array.from({ length: 10 }, (_, bin) => {
    const own = told.filter(({ stated }) => Math.min(9, Math.floor(stated * 10)) === bin);
    const mean = (of: (one: Told) => number) => own.reduce((sum, one) => sum + of(one), 0) / own.length;
    return {
      bin,
      count: own.length,
      stated: mean(({ stated }) => stated),
      happened: mean(({ happened }) => Number(happened)),
    };
  });
}
