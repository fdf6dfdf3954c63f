import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { z } from 'zod';
import { loadDevelopmentKey, mintDevelopmentToken } from '../../src/services/access/development-key.js';
import { createIdCodec, type IdCodec } from '../../src/services/platform/ids.js';
import { randomOf } from '../../src/services/platform/random.js';
import { percentile } from '../claim/stats.js';
import { byLabel } from './metrics.js';
import { ID_KEY, type Processes } from './processes.js';
import { type FieldWorld, TOWN } from './world.js';

/** What came of jobs that were asked for at an even pace. */
export interface Decided {
  readonly asked: number;
  /** Those that somebody was offered at once. */
  readonly offered: number;
  /** From the instant at which the request was due to the end of the answer: the job stored, decided and offered. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What told the times of arrival: shares of all. */
  readonly sources: Readonly<Record<string, number>>;
  /** Mean milliseconds of each stage of a decision, by the product's own metric. */
  readonly stages: Readonly<Record<string, number>>;
}

/** Asks for jobs. */
export interface Deciding {
  decide(perSecond: number, forMs: number): Promise<Decided>;
  close(): Promise<void>;
}

const MUTATION = `mutation ($input: CreateJobInput!) { createJob(input: $input) { __typename ... on CreateJobPayload { job { state } } } }`;
const CONNECTIONS = 64;
const DUE_MS = 4 * 3_600_000;

/** What MUTATION answers where a job was made. */
const Told = z.object({ data: z.object({ createJob: z.object({ job: z.object({ state: z.string() }) }) }) });

/** Through GraphQL, as a dispatcher of the world. */
export async function startDeciding({ serve, dataDir }: Processes, world: FieldWorld): Promise<Deciding> {
  const key = await loadDevelopmentKey(dataDir);
  const who = { subject: world.dispatcher, tenantSlug: world.slug, role: 'DISPATCHER' } as const;
  const token = await mintDevelopmentToken(key, who);
  const pool = new Pool(serve.url, { connections: CONNECTIONS, pipelining: 1 });
  const input = inputs(world, createIdCodec(ID_KEY));
  const ask = async (): Promise<string> => {
    const answer = await pool.request({
      method: 'POST',
      path: '/graphql',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: MUTATION, variables: { input: input() } }),
    });
    const body = await answer.body.json();
    const told = Told.safeParse(body);
    return told.success ? told.data.data.createJob.job.state : JSON.stringify(body).slice(0, 300);
  };
  return {
    decide: (perSecond, forMs) => watched(serve.url, () => atPace(ask, perSecond, forMs)),
    close: () => pool.destroy(),
  };
}

function inputs({ customerId, skillId }: FieldWorld, ids: IdCodec): () => object {
  const random = randomOf(11, 'jobs');
  return () => ({
    customerId: ids.encode('Customer', customerId),
    kind: 'ON_DEMAND',
    type: 'Check of a meter',
    skillIds: [ids.encode('Skill', skillId)],
    place: {
      latitude: TOWN.south + random() * (TOWN.north - TOWN.south),
      longitude: TOWN.west + random() * (TOWN.east - TOWN.west),
    },
    dueBy: new Date(Date.now() + DUE_MS).toISOString(),
    durationSeconds: 1_800,
    idempotencyKey: randomUUID(),
  });
}

type Answers = Pick<Decided, 'asked' | 'offered' | 'p50Ms' | 'p99Ms'>;

/** Whoever waits does not hold up the next: each is asked for when it is due, and late is counted from then. */
async function atPace(ask: () => Promise<string>, perSecond: number, forMs: number): Promise<Answers> {
  const asked = Math.round((perSecond * forMs) / 1_000);
  const took: number[] = [];
  let offered = 0;
  const began = performance.now();
  const one = async (n: number): Promise<void> => {
    const dueMs = began + (n * 1_000) / perSecond;
    const state = await ask().catch((error: unknown) => String(error));
    took.push(performance.now() - dueMs);
    offered += state === 'OFFERED' ? 1 : 0;
    if (state !== 'OFFERED' && state !== 'UNASSIGNED_ALERT' && state !== 'OPEN') {
      console.error(`A job was not taken: ${state}`);
    }
  };
  const running: Promise<void>[] = [];
  for (let n = 0; n < asked; n++) {
    const waitMs = began + (n * 1_000) / perSecond - performance.now();
    if (waitMs > 0) {
      await new Promise((next) => setTimeout(next, waitMs));
    }
    running.push(one(n));
  }
  await Promise.all(running);
  return { asked, offered, p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99) };
}

async function watched(url: string, work: () => Promise<Answers>): Promise<Decided> {
  const look = async () => ({
    etas: await byLabel(url, 'touchstone_etas_total', 'source'),
    sums: await byLabel(url, 'touchstone_dispatch_decision_seconds_sum', 'stage'),
    counts: await byLabel(url, 'touchstone_dispatch_decision_seconds_count', 'stage'),
  });
  const before = await look();
  const answers = await work();
  const after = await look();
  const grown = (name: keyof typeof after, label: string) =>
    (after[name][label] ?? 0) - (before[name][label] ?? 0);
  const told = Object.keys(after.etas).reduce((sum, source) => sum + grown('etas', source), 0);
  return {
    ...answers,
    sources: Object.fromEntries(
      Object.keys(after.etas).map((source) => [source, grown('etas', source) / Math.max(1, told)]),
    ),
    stages: Object.fromEntries(
      Object.keys(after.counts).map((stage) => [
        stage,
        (grown('sums', stage) * 1_000) / Math.max(1, grown('counts', stage)),
      ]),
    ),
  };
}

/** Values by name, in a line. */
export const textOf = (of: Readonly<Record<string, number>>, digits: number): string =>
  Object.entries(of)
    .map(([name, value]) => `${name} ${value.toFixed(digits)}`)
    .join(', ');
