import { describe, expect, test } from 'vitest';
import { type Demand, type Part, partsOf } from '../../../src/services/forecast/capacity/cuts.js';
import type { Futures } from '../../../src/services/forecast/capacity/futures.js';
import { Flows, flowOf } from '../../../src/services/forecast/capacity/potential.js';
import { shareOut } from '../../../src/services/forecast/capacity/sharing.js';
import { type Random, randomOf } from '../../../src/services/platform/random.js';

const MOMENTS = Float64Array.from({ length: 84 }, (_, place) => 2 * (place + 1));
const LOOKED_AT = [4, 20, 41, 62, 83];

interface Group {
  readonly classes: readonly number[];
  /** Hours that it has in an hour. */
  readonly rate: number;
}

/** Experts who work at an even rate: nothing is left to chance. */
function evenly(groups: readonly Group[]): Futures {
  const of = (some: readonly number[]) => {
    const rate = some.reduce((sum, group) => sum + (groups[group]?.rate ?? 0), 0);
    return MOMENTS.map((hours) => hours * rate);
  };
  return {
    groups: groups.map(({ classes }, place) => ({ classes, experts: [place] })),
    worlds: 1,
    moments: MOMENTS,
    of: (some) => ({ unscaledIn: () => of(some), scaleIn: () => 1, period: 1 }),
    meanOf: (group) => of([group]),
    single: () => null,
    expertsOf: () => [],
    knownWeeks: () => 8,
    quietWeeks: () => 0,
  };
}

function partsFor(futures: Futures, demands: readonly Demand[]): Part[] {
  const steps = partsOf(futures, demands);
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value;
}

/** Hours of each piece of work by each moment that is looked at, as they are said. */
function said(groups: readonly Group[], demands: readonly Demand[]): number[][] {
  const parts = partsFor(evenly(groups), demands);
  const flows = new Flows({ moments: MOMENTS, parts, world: 0 });
  return demands.map(({ workClass, hours }) => {
    const flow = flowOf(parts, workClass);
    const potential = flows.potential(flow);
    const found = LOOKED_AT.map((moment) => potential.at(moment));
    flows.take(flow, hours);
    return found;
  });
}

/** The same by one flow for each piece of work and moment. */
function flowed(groups: readonly Group[], demands: readonly Demand[]): number[][] {
  return demands.map(({ workClass }, place) =>
    LOOKED_AT.map((moment) => {
      const pools = groups.map(({ classes, rate }) => ({ classes, hours: rate * (MOMENTS[moment] ?? 0) }));
      const sharing = shareOut(pools, 64);
      for (const before of demands.slice(0, place)) {
        sharing.add(before.workClass, before.hours);
      }
      return sharing.add(workClass, 1e9);
    }),
  );
}

function some(count: number, random: Random): number {
  return Math.floor(random() * count);
}

function worldOf(classes: number, random: Random): { groups: Group[]; demands: Demand[] } {
  const groups = Array.from({ length: 2 + some(2 * classes, random) }, () => ({
    classes: [...new Set(Array.from({ length: 1 + some(2, random) }, () => some(classes, random)))].sort(
      (one, other) => one - other,
    ),
    rate: 0.1 + 2 * random(),
  }));
  const demands = Array.from({ length: 4 + some(3 * classes, random) }, () => ({
    workClass: some(classes, random),
    hours: 5 + 150 * random(),
  }));
  return { groups, demands };
}

describe('what can be done of each piece of work', () => {
  test('is what flows, in worlds of three to six skills', () => {
    const random = randomOf(1, 'flows');
    for (let world = 0; world < 150; world += 1) {
      const { groups, demands } = worldOf(3 + some(4, random), random);
      const [stated, exact] = [said(groups, demands).flat(), flowed(groups, demands).flat()];
      for (const [place, hours] of exact.entries()) {
        expect(stated[place]).toBeCloseTo(hours, 6);
      }
    }
  });

  test('is hardly ever more than what flows where many skills share experts', () => {
    const random = randomOf(2, 'flows');
    const worlds = Array.from({ length: 25 }, () => worldOf(12, random));
    const looks = worlds.flatMap(({ groups, demands }) => {
      const exact = flowed(groups, demands).flat();
      return said(groups, demands)
        .flat()
        .map((hours, place) => Math.abs(hours - (exact[place] ?? 0)) > 0.01 * (1 + (exact[place] ?? 0)));
    });
    expect(looks.filter((isOff) => isOff).length / looks.length).toBeLessThan(0.05);
  });

  test('goes for the later of each of a hundred pairs as for that of one', () => {
    const pairs = Array.from({ length: 100 }, (_, pair) => [2 * pair, 2 * pair + 1]);
    const groups = pairs.map((classes) => ({ classes, rate: 0.25 }));
    const demands = pairs.flat().map((workClass) => ({ workClass, hours: 26 }));
    const hours = said(groups, demands).map((by) => by.at(-1) ?? 0);
    for (const [place, of] of hours.entries()) {
      expect(of).toBeCloseTo(place % 2 === 0 ? 42 : 16, 6);
    }
  });
});
