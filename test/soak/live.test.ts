// @once @long: what it looks at is nodes, sockets and Redis; events are numbered and read on the second PostgreSQL by test/live and test/events
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, test } from 'vitest';
import {
  type DevelopmentKey,
  loadDevelopmentKey,
  mintDevelopmentToken,
} from '../../src/services/access/development-key.js';
import type { Role } from '../../src/services/access/viewer.js';
import { createIdCodec } from '../../src/services/platform/ids.js';
import { type OwnRedis, ownRedis } from '../live/redis-server.js';
import { useTestDb } from '../support/db.js';
import { makeBatch, makeProject, makeViewer, makeWorld, type World } from '../support/factories.js';
import { describeWithRedis } from '../support/redis.js';
import { expectRulesHold } from '../support/rules.js';
import { judge, work } from './live/crowd.js';
import * as follow from './live/followed.js';
import { asProcesses, inProcess, type Site } from './live/sites.js';
import { type Followed, Subscriber } from './live/subscriber.js';
import { Nodes } from './nodes.js';
import { between, oneOf, type Random, randomOf, seeded, seedsOf } from './random.js';
import { untilKnown } from './unknown.js';

// Subscribers that come and go at random while experts work, over two nodes with a sequencer each, by WebSocket and by
// server-sent events, while Redis is killed and flushed, connections are cut and nodes stop or are killed: what each has
// heard must be what the database has. SEED=n SEEDS=20 KILLS=5 npm run soak -- test/soak/live.test.ts
const SEEDS = Number(process.env.SEEDS ?? 50);
const KILLS = Number(process.env.KILLS ?? 3);
const SETTLED_MS = 120_000;
const LOOK_EVERY_MS = 50;
const UPSETS_MAX = 3;
/** Drawn of nine, some of them twice. */
const FOLLOWED = 5;

const t = useTestDb();
const secret = 'the key of the soak test';
const ids = createIdCodec(secret);
let dataDir: string;
let key: DevelopmentKey;
let redis: OwnRedis;
let admin: pg.Pool;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-soak-'));
  key = await loadDevelopmentKey(dataDir);
  redis = await ownRedis();
  // Under a name of its own: connections of nodes are cut.
  admin = new pg.Pool({ connectionString: t.url, application_name: 'touchstone test', max: 4 });
  env = {
    DATABASE_URL: t.url,
    REDIS_URL: redis.url,
    TOUCHSTONE_DATA_DIR: dataDir,
    TOUCHSTONE_ID_KEY: secret,
    LOG_LEVEL: 'fatal',
  };
});
afterAll(async () => {
  await admin.end();
  await redis.kill();
  await rm(dataDir, { recursive: true, force: true });
});

describeWithRedis('nodes in one process', () => {
  let site: Site;
  beforeAll(async () => {
    site = await inProcess(env, { redis, admin });
  });
  test.concurrent.for(seedsOf(SEEDS))('seed %i', (seed) => seeded((n) => runSeed(site, n), seed));
  afterAll(async () => {
    await site.stop();
    await expectRulesHold(t.database);
  });
});

describeWithRedis('nodes that are killed', () => {
  let site: Site;
  beforeAll(async () => {
    site = await asProcesses(new Nodes(env), redis);
  });
  test.concurrent.for(seedsOf(KILLS))('seed %i', (seed) => seeded((n) => runSeed(site, n), seed));
  afterAll(async () => {
    await site.stop();
    await expectRulesHold(t.database);
  });
});

interface Started {
  readonly world: World;
  /** A project whose leases outlast the seed. */
  readonly lasting: bigint;
  readonly followed: readonly Followed[];
}

async function runSeed(site: Site, seed: number): Promise<void> {
  const random = randomOf(seed);
  const { world, followed } = await site.inPeace(() => untilKnown(() => start(random)));
  const subscribers = followed.map((one, n) => new Subscriber(one, site, randomOf(seed * 1_000 + n)));
  const running = subscribers.map((subscriber) => subscriber.run());
  try {
    await untilWorkIsDone(site, { world, random });
    for (const subscriber of subscribers) {
      subscriber.calmDown();
    }
    await settled(followed);
  } finally {
    for (const subscriber of subscribers) {
      subscriber.end();
    }
    await Promise.all(running);
  }
}

async function start(random: Random): Promise<Started> {
  const redundancy = between(random, 1, 2);
  const deadline = new Date(Date.now() + between(random, 2, 60) * 1_000);
  const world = await makeWorld(t.database, {
    experts: between(random, 3, 5),
    tasks: between(random, 4, 10),
    project: { redundancy, leaseSeconds: 1, deadline },
  });
  const lasting = await makeProject(t.database, world, { redundancy, leaseSeconds: 600 });
  await makeBatch(t.database, world, { projectId: lasting, tasks: between(random, 4, 10) });
  return { world, lasting, followed: await whatIsFollowed(random, { world, lasting }) };
}

async function whatIsFollowed(
  random: Random,
  { world, lasting }: { world: World; lasting: bigint },
): Promise<Followed[]> {
  const place = { admin, tenantId: world.tenantId, ids, secret };
  const operator = async () => tokenOf(world, await makeViewer(t.database, world, { role: 'OPERATOR' }));
  const customer = await tokenOf(world, world.customer.viewer);
  const expert = await tokenOf(world, world.ada.viewer);
  const { projectId } = world;
  const all = [
    async () => follow.leasesOfProject(place, { token: await operator(), projectId }),
    async () => follow.leasesOfProject(place, { token: customer, projectId: lasting }),
    async () => follow.leasesOfExpert(place, { token: expert, expertId: world.ada.expertId }),
    async () => follow.payouts(place, { token: expert, expertId: world.ada.expertId }),
    async () => follow.quality(place, { token: await operator() }),
    async () => follow.progress(place, { token: customer, projectId }),
    async () => follow.progress(place, { token: await operator(), projectId: lasting }),
    async () => follow.forecast(place, { token: await operator(), projectId }),
    async () => follow.risk(place, { token: customer, projectId }),
  ];
  const chosen = Array.from({ length: FOLLOWED }, () => oneOf(random, all));
  return Promise.all([...new Set(chosen)].map((one) => one()));
}

function tokenOf(world: World, { displayName, role }: { displayName: string; role: Role }): Promise<string> {
  return mintDevelopmentToken(key, { subject: displayName, tenantSlug: world.slug, role });
}

/** Experts work, somebody judges them, and things go wrong meanwhile; then what is on its way has come. */
async function untilWorkIsDone(
  site: Site,
  { world, random }: { world: World; random: Random },
): Promise<void> {
  const upsetting = async () => {
    for (let n = between(random, 1, UPSETS_MAX); n > 0; n--) {
      await wait(between(random, 50, 600));
      await site.upset(random);
    }
  };
  const experts = await Promise.all(world.experts.map(({ viewer }) => tokenOf(world, viewer)));
  const write = (sql: string, values: unknown[]) => admin.query(sql, values);
  await Promise.all([
    ...experts.map((token) => work({ token, random, site }, between(random, 3, 6))),
    judge(world, { random, write }),
    upsetting(),
  ]);
  await eventually(async () => {
    const { rows } = await admin.query(UNDER_WAY, [world.tenantId]);
    return rows[0].n === 0 ? [] : [`${rows[0].n} leases and events are under way`];
  });
}

/** Leases that have ended and were not given back, events and postings without a number. */
const UNDER_WAY = `
  select (select count(*) from assignments where tenant_id = $1 and state = 'LEASED' and lease_until <= app.clock_now())::int
       + (select count(*) from stream_events where tenant_id = $1 and seq is null)::int as n`;

/** Each subscriber has heard what the database has; and nothing that cannot be. */
async function settled(all: readonly Followed[]): Promise<void> {
  const differences = async () => {
    const found = await Promise.all(
      all.map(async ({ name, record, difference }) => {
        const fault = record.faults[0] ?? (await difference());
        return fault === null ? [] : [`${name}: ${fault}`];
      }),
    );
    return found.flat();
  };
  await eventually(differences);
}

/** Waits until nothing is wrong any more. */
async function eventually(look: () => Promise<readonly string[]>): Promise<void> {
  const untilMs = performance.now() + SETTLED_MS;
  for (;;) {
    const wrong = await look();
    if (wrong.length === 0) {
      return;
    }
    if (performance.now() > untilMs) {
      throw new Error(wrong.join('\n'));
    }
    await wait(LOOK_EVERY_MS);
  }
}
