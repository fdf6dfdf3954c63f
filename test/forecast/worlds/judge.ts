import type { StoredFixes } from '../../../src/services/forecast/capacity/stored.js';
import { type History, NO_HISTORY } from '../../../src/services/forecast/history/history.js';
import { type Order, truthOf } from './go-on.js';
import { foreseenAt } from './known.js';
import {
  HOUR,
  KINDS,
  type Kind,
  PAST_HOURS,
  type Person,
  RARE,
  type TrueWorld,
  worldOf,
} from './true-world.js';

/** At which part of the way to its deadline a batch is looked at: as it begins, and half-way. */
export const LOOKS = [0, 0.5] as const;
type Look = (typeof LOOKS)[number];

/** What was said of one world at one moment, and what came true. */
export interface Told {
  readonly seed: number;
  readonly kind: Kind;
  readonly order: Order;
  readonly look: Look;
  readonly stated: number;
  readonly happened: boolean;
  /** Of a rare skill that holds the deadline up: whether it was named, and nothing else. */
  readonly namedRightly: boolean | null;
  /** Of a deadline that was missed though hours were asked for: whether it is made with them. */
  readonly fixed: boolean | null;
  /** Whether it was done by the date that was called safe; null where none was. */
  readonly safe: boolean | null;
  /** As a finished batch teaches the next ones. */
  readonly capacitySeconds: number | null;
  readonly capacitySpread: number | null;
  readonly remainingSeconds: number;
  readonly progress: {
    readonly elapsedSeconds: number;
    readonly answers: number;
    readonly remainingAnswers: number;
  };
}

/** What batches of other worlds of the kind have taught, by look. */
export type Taught = (of: Pick<Told, 'seed' | 'kind' | 'look'>) => History;

/** Forecasts one world and lets it come true; and once more with the hours that were asked for. */
export async function judge(seed: number, taught: Taught = () => NO_HISTORY): Promise<Told[]> {
  const kind = KINDS[seed % KINDS.length] ?? 'plain';
  const order: Order = Math.floor(seed / KINDS.length) % 2 === 0 ? 'deadline' : 'weight';
  const world = worldOf(seed, kind);
  const whole = truthOf(world, { order });
  whole.run(Number.POSITIVE_INFINITY);
  const told: Told[] = [];
  for (const look of LOOKS) {
    const one = await toldAt(world, {
      order,
      look,
      doneAt: whole.doneAt(),
      history: taught({ seed, kind, look }),
    });
    told.push(...(one === null ? [] : [one]));
  }
  return told;
}

interface Looking {
  readonly order: Order;
  readonly look: Look;
  readonly doneAt: number;
  readonly history: History;
}

async function toldAt(world: TrueWorld, { order, look, doneAt, history }: Looking): Promise<Told | null> {
  const [asked] = world.jobs as [TrueWorld['jobs'][number]];
  const now = Math.floor((look * asked.deadline) / HOUR) * HOUR;
  const truth = truthOf(world, { order });
  truth.run(now);
  const [going] = truth.going;
  if (going === undefined || going.left === 0) {
    return null;
  }
  const { forecast, capacity } = await foreseenAt(world, { truth, now, history });
  const happened = doneAt <= asked.deadline;
  const stated = forecast.probabilityOnTime;
  if (stated === null) {
    return null;
  }
  const fixes = capacity?.fixes ?? null;
  const isShort = !happened && (fixes?.expertHours.length ?? 0) > 0;
  const skills = capacity?.skills.map(({ skillId }) => Number(skillId)) ?? [];
  const safe = fixes?.safeDeadline ?? null;
  return {
    seed: world.seed,
    kind: world.kind,
    order,
    look,
    stated,
    happened,
    namedRightly:
      world.kind === 'rare' && isShort && stated < 0.5 ? skills.length === 1 && skills[0] === RARE : null,
    fixed: isShort ? isFixed(world, { order, now, fixes }) : null,
    safe: safe === null ? null : now + (Date.parse(safe) - forecast.computedAt.getTime()) / 1_000 >= doneAt,
    capacitySeconds: capacity?.medianSeconds ?? null,
    capacitySpread: capacity?.medianSpread ?? null,
    remainingSeconds: doneAt - now,
    progress: { elapsedSeconds: now, answers: going.took.length, remainingAnswers: going.left },
  };
}

function isFixed(
  world: TrueWorld,
  { order, now, fixes }: { order: Order; now: number; fixes: StoredFixes | null },
): boolean {
  const deadline = world.jobs[0]?.deadline ?? 0;
  const more = (fixes?.expertHours ?? []).flatMap(({ skillId, hours }) =>
    helpers(Number(skillId), { hours, from: now, deadline, world }),
  );
  const truth = truthOf(world, { order, more });
  truth.run(deadline + HOUR);
  return truth.doneAt() <= deadline;
}

interface Help {
  readonly hours: number;
  readonly from: number;
  readonly deadline: number;
  readonly world: TrueWorld;
}

/** Three more who can do it, and together work so many hours, spread over the time until the deadline. */
function helpers(skill: number, { hours, from, deadline, world }: Help): Person[] {
  const begin = PAST_HOURS + Math.floor(from / HOUR);
  const until = Math.max(1, Math.floor((deadline - from) / HOUR));
  // Nobody works more than a whole hour in an hour: as many as it takes.
  const count = Math.max(3, Math.ceil(hours / until));
  return Array.from({ length: count }, () => {
    const seconds = new Float64Array(world.people[0]?.seconds.length ?? 0);
    seconds.fill((hours * HOUR) / count / until, begin, begin + until);
    return { skills: [skill], seconds };
  });
}

/**
 * What worlds teach another of their kind: so many that come after it, and not itself. The first were forecast before any had finished, the
 * later ones knew of those before them.
 *
 * @param told by how many had finished before: 0, and what else there is so far
 */
export function taughtBy(told: Readonly<Record<number, readonly Told[]>>, finished: number): Taught {
  const knew = Object.keys(told).map(Number);
  return ({ seed, kind, look }) => {
    const isLike = (one: Told) =>
      one.seed !== seed && one.kind === kind && one.look === look && Number.isFinite(one.remainingSeconds);
    const batches = Array.from({ length: finished }, (_, place) => {
      const like = (told[Math.max(...knew.filter((few) => few <= place))] ?? []).filter(isLike);
      const from = Math.max(
        0,
        like.findIndex((one) => one.seed > seed),
      );
      return like[(from + place) % like.length];
    });
    return {
      scale: 1,
      finished: batches.flatMap((one) =>
        one === undefined
          ? []
          : [
              {
                ...one.progress,
                remainingSeconds: one.remainingSeconds,
                capacitySeconds: one.capacitySeconds,
                capacitySpread: one.capacitySpread,
              },
            ],
      ),
    };
  };
}

/** Tenths (or so many parts) of what was stated: how often it came true. */
export function reliabilityOf(told: readonly Told[], bins = 10) {
  return Array.from({ length: bins }, (_, bin) => {
    const own = told.filter(({ stated }) => Math.min(bins - 1, Math.floor(stated * bins)) === bin);
    const mean = (of: (one: Told) => number) => own.reduce((sum, one) => sum + of(one), 0) / own.length;
    return {
      bin,
      count: own.length,
      stated: mean(({ stated }) => stated),
      happened: mean(({ happened }) => Number(happened)),
    };
  });
}
