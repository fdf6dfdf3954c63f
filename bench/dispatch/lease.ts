import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { leaseJob } from '../../src/services/dispatch/assign.sql.js';
import { endOffers } from '../../src/services/dispatch/upkeep.js';
import { callHot, type Database, openDatabase } from '../../src/services/platform/database.js';
import { randomOf } from '../../src/services/platform/random.js';
import { verify } from '../../src/services/verify.js';
import { type Machine, run, TEMPLATE } from '../claim/machine.js';
import { pgbenchProgram } from '../claim/pgbench.js';
import { medianRatio } from '../claim/stats.js';
import type { Report } from './report.js';
import { type FieldWorld, makeFieldWorld, makeJobs } from './world.js';

// The lease statement: many who want the same few jobs and workers, and then whether anything is orphaned; and the same statement by
// pgbench, beside ours, on the same server.

const NODES = 2;
const CLIENTS = 8;
/** Jobs and workers that are fought for at one time; each is tried three times or so. */
const HOT = 16;
const TRIES = 3;
const ROUNDS = 3;
const OFFER_SECONDS = 5;
const CELL = '881f1d4887fffff';

/** Runs it, and reports what it found. */
export async function measureLease(machine: Machine, attempts: number, report: Report): Promise<void> {
  await run(machine.urlOf('postgres'), `create database lease template ${TEMPLATE}`);
  const url = machine.urlOf('lease');
  await contended(url, attempts, report);
  await besidePgbench(url, Math.max(400, Math.round(attempts / 12)), report);
  await run(machine.urlOf('postgres'), 'drop database lease with (force)');
}

async function contended(url: string, attempts: number, report: Report): Promise<void> {
  const count = Math.ceil(attempts / TRIES) + HOT;
  const world = await makeFieldWorld(url, count, { slug: 'fought', offerSeconds: OFFER_SECONDS });
  const firstJob = await makeJobs(url, world, count);
  const random = randomOf(3, 'lease');
  const nodes = Array.from({ length: NODES }, () => openDatabase({ url, appConnections: CLIENTS }));
  const outcomes = new Map<string, number>();
  let next = 0;
  const client = async (db: Database) => {
    while (next < attempts) {
      const at = Math.floor(next / TRIES);
      next += 1;
      const jobId = firstJob + BigInt(at + Math.floor(random() * HOT));
      const outcome = await attempt(db, world, { jobId, at: at + Math.floor(random() * HOT) });
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  let isOver = false;
  const sweeping = (async () => {
    while (!isOver && nodes[0] !== undefined) {
      await endOffers(nodes[0]);
      await new Promise((then) => setTimeout(then, 250));
    }
  })();
  const began = performance.now();
  await Promise.all(nodes.flatMap((db) => Array.from({ length: CLIENTS }, () => client(db))));
  const perSecond = (attempts * 1_000) / (performance.now() - began);
  isOver = true;
  await sweeping;
  const told = [...outcomes].map(([outcome, of]) => `${of} ${outcome}`).join(', ');
  report.say({
    what: 'contended attempts to lease, a second',
    value: perSecond,
    note: `${attempts} by ${NODES * CLIENTS} clients: ${told}`,
  });
  report.say({
    name: 'orphans',
    what: 'jobs, offers and workers orphaned, by verify',
    value: await orphans(nodes[0] as Database),
    max: 0,
  });
  await Promise.all(nodes.map((db) => db.close()));
}

/** What breaks rule 13 in the whole database. */
async function orphans(db: Database): Promise<number> {
  const found = (await verify(db)).filter(({ rule, broken }) => rule === 13 && broken > 0);
  for (const { claim, examples } of found) {
    console.log(`  ${claim} But: ${examples.join('; ')}`);
  }
  return found.reduce((sum, { broken }) => sum + broken, 0);
}

async function attempt(
  db: Database,
  { tenantId, workers }: FieldWorld,
  { jobId, at }: { readonly jobId: bigint; readonly at: number },
): Promise<string> {
  const now = new Date();
  const terms = { ...TERMS, fixDeviceAt: now, fixReceivedAt: now };
  const expertId = workers[at % workers.length]?.expertId ?? 0n;
  const query = leaseJob({ tenantId, actorId: null, jobId, expertId, terms });
  try {
    return ((await callHot(db, 'lease_job', query)) as { outcome: string }).outcome;
  } catch (error) {
    return `error ${(error as { code?: string }).code}`;
  }
}

const TERMS = {
  ...{ etaSeconds: 300, etaRoadSeconds: 300, etaLowSeconds: 240, etaHighSeconds: 420, etaConfidence: 'HIGH' },
  ...{ score: 5, slackSeconds: 3_000, fixCell: CELL },
};

/** Jobs and workers by chance, as many of each as attempts: what an attempt meets depends on how many came before it, not on its speed. */
async function besidePgbench(url: string, attempts: number, report: Report): Promise<void> {
  const program = pgbenchProgram();
  if (program === null) {
    const note = 'no pgbench (apt-get update && apt-get install -y postgresql-contrib)';
    report.say({
      name: 'leaseVsSql',
      what: 'leases a second, ours over pgbench',
      value: null,
      min: 0.4,
      note,
    });
    return;
  }
  const pairs: [ours: number, theirs: number][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await byOurs(url, await arena(url, `ours-${round}`, attempts));
    pairs.push([ours, await byPgbench(url, program, await arena(url, `theirs-${round}`, attempts))]);
  }
  const told = pairs.map(([ours, theirs]) => `${Math.round(ours)}/${Math.round(theirs)}`).join(', ');
  report.say({
    name: 'leaseVsSql',
    what: 'leases a second, ours over pgbench',
    value: medianRatio(pairs),
    min: 0.4,
    note: `${CLIENTS} clients, ${attempts} attempts a round: ${told} a second`,
  });
}

interface Arena {
  readonly world: FieldWorld;
  readonly firstJob: bigint;
  readonly attempts: number;
}

async function arena(url: string, slug: string, attempts: number): Promise<Arena> {
  const world = await makeFieldWorld(url, attempts, { slug });
  return { world, firstJob: await makeJobs(url, world, attempts), attempts };
}

async function byOurs(url: string, { world, firstJob, attempts }: Arena): Promise<number> {
  const db = openDatabase({ url, appConnections: CLIENTS });
  const random = randomOf(9, world.slug);
  const any = () => Math.floor(random() * attempts);
  let left = attempts;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      await attempt(db, world, { jobId: firstJob + BigInt(any()), at: any() });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, () => db.appPool.query('select 1')));
  const began = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = (performance.now() - began) / 1_000;
  await db.close();
  return attempts / seconds;
}

async function byPgbench(
  url: string,
  program: string,
  { world, firstJob, attempts }: Arena,
): Promise<number> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-bench-lease-'));
  const file = join(directory, 'lease.sql');
  const firstWorker = world.workers[0]?.expertId ?? 0n;
  writeFileSync(file, scriptOf(world.tenantId, { firstJob, firstWorker, attempts }));
  try {
    const { stdout } = await promisify(execFile)(
      program,
      [
        ...[
          '-h',
          hostname,
          '-p',
          port,
          '-U',
          username,
          '-n',
          '-M',
          'prepared',
          '-c',
          String(CLIENTS),
          '-j',
          '2',
        ],
        ...['-t', String(Math.ceil(attempts / CLIENTS)), '-f', file, pathname.slice(1)],
      ],
      { env: { ...process.env, PGPASSWORD: password, PGOPTIONS: '-c role=touchstone_app -c TimeZone=UTC' } },
    );
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const scriptOf = (
  tenantId: bigint,
  { firstJob, firstWorker, attempts }: { firstJob: bigint; firstWorker: bigint; attempts: number },
): string => `
\\set job random(${firstJob}, ${firstJob + BigInt(attempts - 1)})
\\set worker random(${firstWorker}, ${firstWorker + BigInt(attempts - 1)})
select app.lease_job(${tenantId}::bigint, null::bigint, :job::bigint, :worker::bigint,
  '${JSON.stringify(TERMS)}'::jsonb || jsonb_build_object('fixDeviceAt', clock_timestamp(), 'fixReceivedAt', clock_timestamp()));
`;
