import type { Person, StoredWork } from './supply.sql.js';

/** What a piece of work asks of who does it. */
type Asked = Pick<
  StoredWork,
  | 'laneId'
  | 'customerId'
  | 'skillId'
  | 'minQuality'
  | 'taskTypeId'
  | 'alsoAll'
  | 'alsoAny'
  | 'alsoMin'
  | 'languages'
  | 'tags'
>;

/** Work that the same experts may do: a lane, and a customer where somebody may not work for them. */
export interface Classes {
  readonly count: number;
  /** Tells whether other classes are the same, in the same places. */
  readonly key: string;
  /** The class of a piece of work. */
  of(work: Asked): number;
  /** Those that somebody may do. */
  ableOf(person: Person): readonly number[];
  /** The skill that a class is of. */
  skillOf(workClass: number): bigint;
}

/** What was found of people, as long as the classes are the same: a lane is what it asks for, and never asks for another thing. */
const known = new WeakMap<Person, { readonly key: string; readonly able: readonly number[] }>();

/** @param works all that there is @param people whoever may claim anything */
export function classesOf(works: readonly Asked[], people: readonly Person[]): Classes {
  const barred = new Set(people.flatMap((person) => person.barred));
  const keyOf = ({ laneId, customerId }: Asked) => `${laneId}/${barred.has(customerId) ? customerId : ''}`;
  const all = [...new Map(works.map((work) => [keyOf(work), work])).values()];
  const places = new Map(all.map((work, place) => [keyOf(work), place]));
  const bySkill = new Map<bigint, number[]>();
  for (const [place, { skillId }] of all.entries()) {
    bySkill.set(skillId, [...(bySkill.get(skillId) ?? []), place]);
  }
  // Of thousands of experts each has few skills of many.
  const near = ({ skills }: Person) =>
    [...new Set(skills.map(([id]) => id))].flatMap((id) => bySkill.get(id) ?? []);
  const key = all.map(keyOf).join();
  return {
    count: all.length,
    key,
    of: (work) => places.get(keyOf(work)) ?? 0,
    ableOf(person) {
      const found = known.get(person);
      if (found?.key === key) {
        return found.able;
      }
      const able = near(person)
        .filter((place) => mayDo(person, all[place] as Asked))
        .sort((one, other) => one - other);
      known.set(person, { key, able });
      return able;
    },
    skillOf: (workClass) => all[workClass]?.skillId ?? 0n,
  };
}

/** As app.lanes_of decides it. */
function mayDo({ skills, types = [], languages, tags, barred }: Person, asked: Asked): boolean {
  const proven = (skill: bigint) => skills.some(([id, , lower]) => id === skill && lower >= asked.alsoMin);
  const inType = types.find(([skill, type]) => skill === asked.skillId && type === asked.taskTypeId)?.[2];
  return (
    skills.some(([id, takenFor]) => id === asked.skillId && (inType ?? takenFor) >= asked.minQuality) &&
    asked.languages.every((one) => languages.includes(one)) &&
    asked.tags.every((one) => tags.includes(one)) &&
    asked.alsoAll.every(proven) &&
    (asked.alsoAny.length === 0 || asked.alsoAny.some(proven)) &&
    !barred.includes(asked.customerId)
  );
}
