import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '../../platform/rows.js';
import { HORIZON_HOURS } from './moments.js';
import type { Prepared } from './outlook.js';
import type { Span } from './presence.js';
import { jobsOf, type Person, peopleOf, weeksSince } from './supply.sql.js';

/** An expert, and when they have worked. */
export interface Worker {
  readonly person: Person;
  /** Seconds worked in each of the past hours, the last one having just ended; at most eight weeks. */
  readonly seconds: Uint16Array;
  /** When they will be at jobs that they have accepted, in hours since the hour began in which we are. */
  readonly elsewhere?: readonly Span[] | undefined;
}

const HOURS_A_WEEK = 168;
const WEEKS = 8;
const HOUR_MS = 3_600_000;
const WEEK_MS = HOURS_A_WEEK * HOUR_MS;
/** Who may do what is read again after so long. */
const PEOPLE_MS = 15_000;
/** What was drawn is good for so long: work goes on, and who is there hardly changes. */
const DRAWN_MS = 60_000;
/** Accepted jobs are read again after as long, for what was drawn is drawn anew where they are others. */
const JOBS_MS = DRAWN_MS;
/** Rows that were being written while it was read last may have older times; one that took longer is read when it is written again. */
const OVERLAP_MS = 5_000;
const TENANTS_MAX = 50;

interface Kept {
  people: readonly Person[];
  /** Another one whenever they or what they may do are otherwise. */
  version: number;
  peopleAt: number;
  /** Times at accepted jobs by expert, in hours since 1970; and when that was read. */
  jobs: ReadonlyMap<bigint, readonly Span[]>;
  jobsAt: number;
  readThrough: Date;
  readonly weeks: Map<bigint, Map<number, Uint16Array>>;
  /** What was drawn of them, and when. */
  drawn: { readonly key: string; readonly at: number; readonly prepared: Promise<Prepared> } | null;
  /** Hours up to one of them, by expert; dropped where a week of theirs was written. */
  readonly hours: Map<bigint, { readonly hour: number; readonly seconds: Uint16Array }>;
}

const supplies = new WeakMap<object, Supply>();

/** The one of a database's connections. */
export function supplyOf(db: object): Supply {
  const supply = supplies.get(db) ?? createSupply();
  supplies.set(db, supply);
  return supply;
}

/** Keeps in memory when the experts of tenants have worked: what was written since is read, and no more. */
function createSupply() {
  const tenants = new Map<bigint, Kept>();
  return {
    /**
     * Who may claim work in a tenant, by the database's clock, and the version of who they are and what they may. As far as the scope may
     * see: ask as a service.
     */
    async workersOf(
      db: Queryable,
      tenantId: bigint,
      now: Date,
    ): Promise<{ readonly workers: Worker[]; readonly version: number }> {
      const kept = tenants.get(tenantId) ?? newlyKept();
      tenants.delete(tenantId);
      tenants.set(tenantId, kept);
      forget(tenants);
      await refresh(db, tenantId, { kept, now });
      const workers = kept.people.map((person) => ({
        person,
        seconds: hoursOf(kept, person, now),
        elsewhere: elsewhereOf(kept, person, now),
      }));
      return { workers, version: kept.version };
    },
    /** What was drawn of a tenant's experts under the same key lately, else what is drawn now. */
    async prepared(
      tenantId: bigint,
      { key, now }: { key: string; now: Date },
      draw: () => Promise<Prepared>,
    ): Promise<Prepared> {
      const kept = tenants.get(tenantId);
      letGo(tenants, now);
      const drawn = kept?.drawn ?? null;
      if (drawn !== null && drawn.key === key) {
        return drawn.prepared;
      }
      const prepared = draw();
      if (kept !== undefined) {
        const own = { key, at: now.getTime(), prepared };
        kept.drawn = own;
        // Those who come meanwhile wait for the same; what failed is drawn again.
        prepared.catch(() => {
          kept.drawn = kept.drawn === own ? null : kept.drawn;
        });
      }
      return prepared;
    },
  };
}

export type Supply = ReturnType<typeof createSupply>;

const newlyKept = (): Kept => ({
  people: [],
  version: 0,
  peopleAt: Number.NEGATIVE_INFINITY,
  jobs: new Map(),
  jobsAt: Number.NEGATIVE_INFINITY,
  readThrough: new Date(0),
  weeks: new Map(),
  drawn: null,
  hours: new Map(),
});

function forget(tenants: Map<bigint, Kept>): void {
  for (const tenantId of tenants.keys()) {
    if (tenants.size <= TENANTS_MAX) {
      return;
    }
    tenants.delete(tenantId);
  }
}

/** What was drawn of many experts takes tens of megabytes: it is kept no longer than it is good. */
function letGo(tenants: ReadonlyMap<bigint, Kept>, now: Date): void {
  for (const kept of tenants.values()) {
    if (kept.drawn !== null && Math.abs(now.getTime() - kept.drawn.at) >= DRAWN_MS) {
      kept.drawn = null;
    }
  }
}

async function refresh(
  db: Queryable,
  tenantId: bigint,
  { kept, now }: { kept: Kept; now: Date },
): Promise<void> {
  if (Math.abs(now.getTime() - kept.peopleAt) >= PEOPLE_MS) {
    const people = asBefore(await peopleOf(db, tenantId), kept.people);
    kept.version += people === kept.people ? 0 : 1;
    kept.people = people;
    kept.peopleAt = now.getTime();
  }
  if (Math.abs(now.getTime() - kept.jobsAt) >= JOBS_MS) {
    const jobs = spansOf(await jobsOf(db, { tenantId, hours: HORIZON_HOURS }));
    kept.version += isDeepStrictEqual(jobs, kept.jobs) ? 0 : 1;
    kept.jobs = jobs;
    kept.jobsAt = now.getTime();
  }
  const fromWeek = Math.floor(now.getTime() / WEEK_MS) - WEEKS;
  const since = new Date(Math.min(kept.readThrough.getTime(), now.getTime()) - OVERLAP_MS);
  for (const { expertId, weeks: written } of await weeksSince(db, { tenantId, since, fromWeek })) {
    const weeks = kept.weeks.get(expertId) ?? new Map<number, Uint16Array>();
    kept.weeks.set(expertId, weeks);
    for (const text of written.split(';')) {
      const [week, seconds = ''] = text.split(':');
      weeks.set(Number(week), Uint16Array.from(seconds.split(','), Number));
    }
    kept.hours.delete(expertId);
    for (const old of [...weeks.keys()].filter((one) => one < fromWeek)) {
      weeks.delete(old);
    }
  }
  kept.readThrough = now;
}

/** Those who are as they were are the same objects, so that what was found of them holds; all of them where nobody is otherwise. */
function asBefore(people: readonly Person[], before: readonly Person[]): readonly Person[] {
  const known = new Map(before.map((person) => [person.expertId, person]));
  const now = people.map((person) => {
    const old = known.get(person.expertId);
    return old !== undefined && isDeepStrictEqual(person, old) ? old : person;
  });
  return now.length === before.length && now.every((person, place) => person === before[place])
    ? before
    : now;
}

/** By expert, in order; what overlaps is one: whoever has several hands is there once. */
function spansOf(jobs: Awaited<ReturnType<typeof jobsOf>>): Map<bigint, Span[]> {
  const found = new Map<bigint, Span[]>();
  for (const { expertId, ...seconds } of jobs) {
    const own = found.get(expertId) ?? [];
    found.set(expertId, own);
    const [from, to] = [(seconds.from * 1_000) / HOUR_MS, (seconds.to * 1_000) / HOUR_MS];
    const last = own.at(-1);
    if (last !== undefined && from <= last.to) {
      own[own.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    } else {
      own.push({ from, to });
    }
  }
  return found;
}

function elsewhereOf({ jobs }: Kept, { expertId }: Person, now: Date): Span[] | undefined {
  const hour = Math.floor(now.getTime() / HOUR_MS);
  return jobs.get(expertId)?.map(({ from, to }) => ({ from: from - hour, to: to - hour }));
}

function hoursOf({ weeks, hours }: Kept, { expertId, createdAt }: Person, now: Date): Uint16Array {
  const hour = Math.floor(now.getTime() / HOUR_MS);
  const found = hours.get(expertId);
  if (found?.hour === hour) {
    return found.seconds;
  }
  const worked = weeks.get(expertId) ?? new Map<number, Uint16Array>();
  const first = Math.min(
    ...[...worked].map(([week, of]) => week * HOURS_A_WEEK + of.findIndex((one) => one > 0)),
  );
  const since = Math.min(first, Math.floor(createdAt.getTime() / HOUR_MS));
  const length = Math.max(0, Math.min(WEEKS * HOURS_A_WEEK, hour - since));
  const seconds = Uint16Array.from({ length }, (_, place) => {
    const at = hour - length + place;
    return worked.get(Math.floor(at / HOURS_A_WEEK))?.[at % HOURS_A_WEEK] ?? 0;
  });
  hours.set(expertId, { hour, seconds });
  return seconds;
}
