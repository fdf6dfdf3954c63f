import { type Foreseen, ofTenant } from '../../../src/services/forecast/capacity/foresee.js';
import { leftOf } from '../../../src/services/forecast/capacity/left.js';
import type { Worker } from '../../../src/services/forecast/capacity/supply.js';
import type { StoredWork } from '../../../src/services/forecast/capacity/supply.sql.js';
import type { Demand } from '../../../src/services/forecast/forecast.sql.js';
import type { History } from '../../../src/services/forecast/history/history.js';
import type { Going, Truth } from './go-on.js';
import { HOUR, type Job, PAST_HOURS, type TrueWorld, USUAL } from './true-world.js';

/** A Monday at midnight, as the hours of the people are counted. */
const BEGUN = Date.parse('2026-03-02T00:00:00Z');
const dateOf = (seconds: number) => new Date(BEGUN + seconds * 1_000);
const TIMED_MAX = 200;
/** So many answers of other batches have measured what one takes. */
const MEASURED = 30;
/** How much what is believed of other work is off: standard deviation of the logarithm. */
const UNMEASURED = 0.4;

/** What the product says of the batch in question at a moment: the way from what is in the database to the forecast that is shown. */
export async function foreseenAt(
  world: TrueWorld,
  { truth, now, history }: { truth: Truth; now: number; history: History },
): Promise<Foreseen> {
  const demands = truth.going
    .filter(({ job, left }) => job.startsAt <= now && left > 0)
    .map((one) => demandOf(one, { now, history }));
  const [asked] = demands as [Demand];
  const found = await ofTenant([asked], {
    stored: demands.map((demand, place) => storedOf(demand, { world, truth, place, now })),
    workers: workersOf(world, now),
    histories: new Map([[asked.batchId, history]]),
    drawn: (_key, draw) => draw(),
    barred: async () =>
      new Map([[asked.batchId, { work: answeredOf(truth.going[0] as Going), adjudication: new Map() }]]),
  });
  return found.get(asked.batchId) as Foreseen;
}

function workersOf({ people }: TrueWorld, now: number): Worker[] {
  const to = PAST_HOURS + Math.floor(now / HOUR);
  return people.map(({ skills, seconds }, place) => ({
    seconds: Uint16Array.from(seconds.subarray(Math.max(0, to - PAST_HOURS), to)),
    person: {
      expertId: BigInt(place + 1),
      createdAt: dateOf(-PAST_HOURS * HOUR),
      languages: [],
      tags: [],
      skills: skills.map((skill) => [BigInt(skill), 1, 1]),
      barred: [],
    },
  }));
}

/** How many open items each expert has answered. */
function answeredOf({ job, answers }: Going): Map<bigint, number> {
  const counts = new Map<bigint, number>();
  for (const who of answers.filter((of) => of.length < job.wanted).flat()) {
    counts.set(BigInt(who + 1), (counts.get(BigInt(who + 1)) ?? 0) + 1);
  }
  return counts;
}

function tallyOf({ job, answers }: Going): Demand['tally'] {
  return Array.from({ length: job.wanted + 1 }, (_, counted): Demand['tally'][number] => {
    const tasks = answers.filter((of) => of.length === counted).length;
    return ['WORK', counted === job.wanted ? 'DONE' : 'OPEN', job.wanted, counted, tasks];
  }).filter(([, , , , tasks]) => tasks > 0);
}

function demandOf(one: Going, { now, history }: { now: number; history: History }): Demand {
  const { job, took, came, left } = one;
  const isUsualMeasured =
    history.finished.reduce((sum, of) => sum + Math.min(TIMED_MAX, of.answers + of.remainingAnswers), 0) >=
    MEASURED;
  const last = took.slice(-TIMED_MAX);
  const mean = last.reduce((sum, of) => sum + of, 0) / Math.max(1, last.length);
  const square = last.reduce((sum, of) => sum + (of - mean) ** 2, 0);
  return {
    tenantId: 1n,
    batchId: BigInt(job.id),
    projectId: BigInt(job.id),
    customerId: 1n,
    remaining: left,
    answers: took.length,
    elapsedSeconds: now - job.startsAt,
    observed: came.filter((at) => at > now - HOUR).length,
    windowSeconds: Math.max(1, Math.min(HOUR, now - job.startsAt)),
    deadline: dateOf(job.deadline),
    projectDeadline: null,
    lastAnswerAt: took.length === 0 ? null : dateOf(came.at(-1) ?? 0),
    wasAtRisk: false,
    told: null,
    wasFirstEndedAt: null,
    tally: tallyOf(one),
    adaptiveMost: null,
    timed: last.length,
    meanSeconds: last.length === 0 ? null : mean,
    deviation: last.length < 2 ? null : Math.sqrt(square / (last.length - 1)),
    usualSeconds: isUsualMeasured ? job.usualSeconds : unmeasured(job),
    isUsualMeasured,
    lost: Math.round(last.length / 50),
    goldShare: 0,
    moves: 0,
    now: dateOf(now),
  };
}

/** Where no batch of the project has finished: what answers of the skill take, which are of other work. */
const unmeasured = ({ usualSeconds, handlingSeconds }: Job): number =>
  handlingSeconds * (usualSeconds / handlingSeconds) ** (UNMEASURED / USUAL);

function storedOf(
  demand: Demand,
  { truth, now }: { world: TrueWorld; truth: Truth; place: number; now: number },
): StoredWork {
  const { job } = truth.going.find((one) => BigInt(one.job.id) === demand.batchId) as Going;
  const { seconds, spread, items, handlingSeconds } = leftOf(demand);
  return {
    batchId: demand.batchId,
    kind: 'WORK',
    redundancy: job.wanted,
    projectId: demand.projectId,
    customerId: demand.customerId,
    laneId: BigInt(job.skill),
    skillId: BigInt(job.skill),
    minQuality: 0,
    alsoAll: [],
    alsoAny: [],
    alsoMin: 0,
    languages: [],
    tags: [],
    leaseSeconds: 1_800,
    deadline: demand.deadline,
    seconds,
    spread,
    items,
    handlingSeconds,
    openSeconds: now - job.startsAt,
    now: dateOf(now),
  };
}
