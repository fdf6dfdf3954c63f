import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Pool, shareOut } from '../../../src/services/forecast/capacity/sharing.js';
import { publicFile, testWithSets } from '../../quality/support/public-sets.js';

/** Capacity by skill with people of several skills, worked out by hand; in three of them the hours of each skill alone suffice. */
const VECTORS = [
  {
    name: 'two skills, one shared pool',
    pools: { e1: [10, 'ab'], e2: [10, 'ab'] },
    demand: { a: 15, b: 15 },
    flow: 20,
    short: 10,
    worst: 'ab',
  },
  {
    name: 'rare skill drains the generalists',
    pools: { e1: [8, 'rc'], e2: [8, 'c'], e3: [8, 'co'] },
    demand: { r: 8, c: 14, o: 4 },
    flow: 24,
    short: 2,
    worst: 'cor',
  },
  {
    name: 'feasible with the right split',
    pools: { e1: [8, 'ab'], e2: [8, 'b'] },
    demand: { a: 6, b: 10 },
    flow: 16,
    short: 0,
    worst: 'ab',
  },
  {
    name: 'rare skill with nobody',
    pools: { e1: [8, 'a'] },
    demand: { a: 4, z: 1 },
    flow: 4,
    short: 1,
    worst: 'z',
  },
  {
    name: 'three skills pairwise feasible, jointly not',
    pools: { e1: [4, 'ab'], e2: [4, 'bc'], e3: [4, 'ac'] },
    demand: { a: 5, b: 5, c: 5 },
    flow: 12,
    short: 3,
    worst: 'abc',
  },
] as const;

const namesOf = (demand: Readonly<Record<string, number>>) => Object.keys(demand);

describe('shareOut', () => {
  test.each(VECTORS)('$name', ({ pools, demand, flow, short, worst }) => {
    const names = namesOf(demand);
    const asked = Object.values(demand);
    const sharing = shareOut(
      Object.values(pools).map(([hours, able]) => ({
        hours: hours as number,
        classes: [...(able as string)].map((name) => names.indexOf(name)),
      })),
      names.length,
    );
    const served = asked.reduce((sum, hours, workClass) => sum + sharing.add(workClass, hours), 0);
    const whole = asked.reduce((sum, hours) => sum + hours, 0);
    expect(served).toBe(flow);
    expect(whole - served).toBe(short);
    expect(
      sharing
        .tight()
        .map((workClass) => names[workClass])
        .sort()
        .join(''),
    ).toBe(worst);
  });

  test('serves the most that can be, whatever was added before, and takes nothing back', () => {
    fc.assert(
      fc.property(worlds, ({ pools, demands }) => {
        const sharing = shareOut(pools, CLASSES);
        const asked = new Array<number>(CLASSES).fill(0);
        let before = 0;
        for (const { workClass, hours } of demands) {
          asked[workClass] = (asked[workClass] ?? 0) + hours;
          const served = sharing.add(workClass, hours);
          expect(served).toBeGreaterThanOrEqual(0);
          expect(served).toBeLessThanOrEqual(hours + 1e-6);
          before += served;
          // What was not served was asked in vain of what is left, so it is asked for no longer.
          asked[workClass] = (asked[workClass] ?? 0) - hours + served;
          expect(before).toBeCloseTo(slowly(pools, asked), 5);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('serves as much of one class after the other as the cuts allow (Hall)', () => {
    fc.assert(
      fc.property(worlds, ({ pools, demands }) => {
        const sharing = shareOut(pools, CLASSES);
        const asked = new Array<number>(CLASSES).fill(0);
        let served = 0;
        for (const { workClass, hours } of demands) {
          served += sharing.add(workClass, hours);
          asked[workClass] = (asked[workClass] ?? 0) + hours;
        }
        expect(served).toBeCloseTo(slowly(pools, asked), 5);
      }),
      { numRuns: 200 },
    );
  });

  test('names the set that binds: it takes all hours of all who can do any of it', () => {
    fc.assert(
      fc.property(worlds, ({ pools, demands }) => {
        const sharing = shareOut(pools, CLASSES);
        const got = new Array<number>(CLASSES).fill(0);
        for (const { workClass, hours } of demands) {
          const served = sharing.add(workClass, hours);
          got[workClass] = (got[workClass] ?? 0) + served;
          if (served < hours - 1e-6) {
            const set = sharing.reach(workClass);
            expect(set).toContain(workClass);
            expect(set.reduce((sum, of) => sum + (got[of] ?? 0), 0)).toBeCloseTo(capacityOf(pools, set), 5);
          }
        }
      }),
    );
  });

  test('says the same of experts one by one and of groups who can do the same', () => {
    fc.assert(
      fc.property(worlds, ({ pools, demands }) => {
        const groups = new Map<string, Pool>();
        for (const { hours, classes } of pools) {
          const key = [...classes].sort().join();
          groups.set(key, { hours: hours + (groups.get(key)?.hours ?? 0), classes });
        }
        const all = (of: readonly Pool[]) => {
          const sharing = shareOut(of, CLASSES);
          return demands.map(({ workClass, hours }) => sharing.add(workClass, hours));
        };
        const [single, grouped] = [all(pools), all([...groups.values()])];
        for (const [place, served] of single.entries()) {
          expect(grouped[place]).toBeCloseTo(served, 5);
        }
      }),
    );
  });
});

const CLASSES = 5;
const hours = fc.integer({ min: 0, max: 400 }).map((tenths) => tenths / 10);
const workClass = fc.integer({ min: 0, max: CLASSES - 1 });
const worlds = fc.record({
  pools: fc.array(fc.record({ hours, classes: fc.uniqueArray(workClass, { maxLength: CLASSES }) }), {
    maxLength: 7,
  }),
  demands: fc.array(fc.record({ workClass, hours }), { maxLength: 12 }),
});

/** Hours of all who can do any class of a set. */
const capacityOf = (pools: readonly Pool[], set: readonly number[]): number =>
  pools.reduce((sum, pool) => sum + (pool.classes.some((of) => set.includes(of)) ? pool.hours : 0), 0);

/** The maximum flow as the least cut, every set of classes tried. */
function slowly(pools: readonly Pool[], asked: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let bits = 0; bits < 2 ** CLASSES; bits += 1) {
    const set = asked.map((_, of) => of).filter((of) => (bits >> of) & 1);
    const rest = asked.reduce((sum, of, place) => sum + (set.includes(place) ? 0 : of), 0);
    least = Math.min(least, capacityOf(pools, set) + rest);
  }
  return least;
}

interface Case {
  readonly name: string;
  readonly capacity_hours: Readonly<Record<string, number>>;
  readonly skills: Readonly<Record<string, readonly string[]>>;
  readonly demand_hours: Readonly<Record<string, number>>;
  readonly max_flow: number;
  readonly shortfall: number;
  readonly worst_hall_set: readonly string[];
}

testWithSets('scoring_reference/cases.json')(
  'agrees with the published vectors of capacity, each of them',
  () => {
    const file = readFileSync(publicFile('scoring_reference', 'cases.json'), 'utf8');
    const cases: readonly Case[] = JSON.parse(file).capacity_max_flow.cases;
    expect(cases.length).toBe(5);
    for (const one of cases) {
      const names = Object.keys(one.demand_hours);
      const pools = Object.entries(one.capacity_hours).map(([expert, own]) => ({
        hours: own,
        classes: (one.skills[expert] ?? [])
          .map((skill) => names.indexOf(skill))
          .filter((place) => place >= 0),
      }));
      const sharing = shareOut(pools, names.length);
      const asked = Object.values(one.demand_hours);
      const served = asked.reduce((sum, of, place) => sum + sharing.add(place, of), 0);
      expect([one.name, served]).toEqual([one.name, one.max_flow]);
      expect([one.name, asked.reduce((sum, of) => sum + of, 0) - served]).toEqual([one.name, one.shortfall]);
      const worst = sharing.tight().map((place) => names[place]);
      expect([one.name, worst.sort()]).toEqual([one.name, [...one.worst_hall_set].sort()]);
    }
  },
);
