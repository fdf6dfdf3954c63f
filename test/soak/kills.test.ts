// @long
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type DevelopmentKey,
  loadDevelopmentKey,
  mintDevelopmentToken,
} from '../../src/services/access/development-key.js';
import { createIdCodec } from '../../src/services/platform/ids.js';
import { useTestDb } from '../support/db.js';
import { answerOf, CHOICES, type Expert, makeWorld, type World } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { brokenRules } from '../support/rules.js';
import { Nodes } from './nodes.js';
import { oneOf, type Random, randomOf, seeded, seedsOf } from './random.js';

// Real server processes, killed while experts work through them over HTTP: SEED=n KILLS=20 npm run soak.
const KILLS = Number(process.env.KILLS ?? 3);
const KILLS_A_SEED = 2;
const TEST_MS = 120_000;
const PAUSE_MS = 40;

const t = useTestDb();
const idKey = 'the key of the soak test';
const ids = createIdCodec(idKey);
let dataDir: string;
let key: DevelopmentKey;
let nodes: Nodes;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-soak-'));
  key = await loadDevelopmentKey(dataDir);
  nodes = new Nodes({
    DATABASE_URL: t.url,
    REDIS_URL: '',
    TOUCHSTONE_DATA_DIR: dataDir,
    TOUCHSTONE_ID_KEY: idKey,
    LOG_LEVEL: 'error',
  });
  await nodes.start(2);
});
afterAll(async () => {
  await nodes.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Acknowledged {
  readonly digest: string;
  readonly submittedAt: string;
}

interface Request {
  readonly path: string;
  readonly body?: unknown;
}

interface Work {
  readonly world: World;
  readonly random: Random;
  readonly receipts: Map<bigint, Acknowledged>;
  finished: boolean;
}

test.each(seedsOf(KILLS))('seed %i', (seed) => seeded(runKills, seed), TEST_MS);

async function runKills(seed: number): Promise<void> {
  const random = randomOf(seed);
  const world = await makeWorld(t.database, {
    experts: 8,
    tasks: 30,
    project: { redundancy: 3, leaseSeconds: 1 },
  });
  const work: Work = { world, random, receipts: new Map(), finished: false };
  await Promise.all([
    ...world.experts.map((expert) => workOverHttp(work, expert)),
    killInBetween(work, 90),
    untilDone(work),
  ]);
  const { rows } = await t.admin.query<{ id: string; digest: string; at: Date; isWork: boolean }>(
    `select assignment_id as id, digest, submitted_at as at, customer_id <> 0 as "isWork"
     from answers where tenant_id = $1 order by 1`,
    [world.tenantId],
  );
  const stored = new Map(
    rows.map((row) => [BigInt(row.id), { digest: row.digest, submittedAt: row.at.toISOString() }]),
  );
  // Beside them experts answer gold, which is minted from what they finished.
  expect(rows.filter(({ isWork }) => isWork)).toHaveLength(90);
  for (const [id, receipt] of work.receipts) {
    expect(stored.get(id)).toEqual(receipt);
  }
  const paid = 'select count(*) from payouts where tenant_id = $1';
  expect(await numberOf(t.admin, paid, [world.tenantId])).toBe(rows.length);
  await expectRulesHoldInTheEnd();
}

/** The servers' own sequencers number at the same time as this one: who comes second looks again. */
async function expectRulesHoldInTheEnd(): Promise<void> {
  let broken: string[] = [];
  for (let look = 0; look < 5; look++) {
    broken = await brokenRules(t.database).catch((error: unknown) => [String(error)]);
    if (broken.length === 0) {
      return;
    }
  }
  expect(broken).toEqual([]);
}

async function workOverHttp(work: Work, expert: Expert): Promise<void> {
  const { random } = work;
  const claims = { subject: expert.viewer.displayName, tenantSlug: work.world.slug, role: 'EXPERT' } as const;
  const token = await mintDevelopmentToken(key, claims);
  while (!work.finished) {
    const next = await call(work, token, { path: '/v1/tasks/next' });
    if (next === null) {
      await wait(PAUSE_MS);
      continue;
    }
    const held = next as { assignmentId: string; lease: { epoch: number } };
    if (random() < 0.2) {
      await wait(1000 * random()); // Away: no release, no heartbeat. The lease may end meanwhile.
      continue;
    }
    const body = { leaseEpoch: held.lease.epoch, answer: answerOf(oneOf(random, CHOICES)) };
    const path = `/v1/assignments/${held.assignmentId}/submit`;
    const said = await Promise.all(
      Array.from({ length: random() < 0.2 ? 2 : 1 }, () => call(work, token, { path, body })),
    );
    for (const done of said) {
      keep(work, done as { receipt: Acknowledged & { assignmentId: string } } | null);
    }
  }
}

/** Keeps a receipt; a second one of the same answer is the first one. */
function keep({ receipts }: Work, done: { receipt: Acknowledged & { assignmentId: string } } | null): void {
  if (done === null) {
    return;
  }
  const { assignmentId, digest, submittedAt } = done.receipt;
  const id = ids.decode(assignmentId)?.id ?? -1n;
  expect({ digest, submittedAt }).toEqual(receipts.get(id) ?? { digest, submittedAt });
  receipts.set(id, { digest, submittedAt });
}

/** Sends a request until it is answered, by whichever server is there. Null for 204 and 409: nothing, or too late. */
async function call({ random }: Work, token: string, { path, body }: Request): Promise<unknown> {
  for (;;) {
    try {
      const response = await fetch(`${nodes.anyUrl(random)}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (response.status === 200) {
        return await response.json();
      }
      const text = await response.text();
      if (response.status === 429 || response.status === 503) {
        await wait(1000 * Number(response.headers.get('retry-after'))); // Come back later: as a good client does.
        continue;
      }
      if (response.status !== 204 && response.status !== 409) {
        throw new Refused(`${path}: ${response.status} ${text}`);
      }
      return null;
    } catch (error) {
      if (error instanceof Refused) {
        throw error;
      }
      await wait(PAUSE_MS); // The server went away under the request: whether it was carried out is open.
    }
  }
}

class Refused extends Error {}

/** Kills servers when so and so many answers have been acknowledged. */
async function killInBetween(work: Work, answers: number): Promise<void> {
  for (let kill = 1; kill <= KILLS_A_SEED; kill++) {
    const after = Math.floor((answers * (kill - work.random())) / KILLS_A_SEED);
    while (work.receipts.size < after && !work.finished) {
      await wait(5);
    }
    await nodes.replaceOne(work.random);
  }
}

async function untilDone(work: Work): Promise<void> {
  const open = `select count(*) from tasks where tenant_id = $1 and state <> 'DONE' and kind = 'WORK'`;
  while ((await numberOf(t.admin, open, [work.world.tenantId])) > 0) {
    await wait(PAUSE_MS);
  }
  work.finished = true;
}
