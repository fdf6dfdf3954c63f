// @once: what it looks at is arithmetic and a router; the memory's statements are in road-memory.test.ts
import { Counter, Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { both, FIRST_SPREADS, type Spread, spreadOf } from '../../src/services/dispatch/eta/band.js';
import { createEtas, type EtasParts } from '../../src/services/dispatch/eta/etas.js';
import { type GuardedRouter, guardRouter } from '../../src/services/dispatch/eta/guarded-router.js';
import { createRoadMemory } from '../../src/services/dispatch/eta/road-memory.js';
import { createRouter } from '../../src/services/dispatch/eta/router.js';
import type { Spreads } from '../../src/services/dispatch/eta/spreads.js';
import type { Eta, Etas, Origin, Place } from '../../src/services/dispatch/ports.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { randomOf } from '../../src/services/platform/random.js';
import { useTestDb } from '../support/db.js';
import { snap } from '../support/router/graph.js';
import { gridNetwork, ISLAND, junctionAt, RIVER_ROW, SIDE } from '../support/router/grid.js';
import { startTestRouter, type TestRouter } from '../support/router/process.js';
import { waysFrom } from '../support/router/search.js';

const t = useTestDb();
const log = createLogger('silent');
const TENANT = 1n;

let server: TestRouter;
beforeAll(async () => {
  server = await startTestRouter();
});
afterAll(() => server.stop());

const counter = (label: string) =>
  new Counter({ name: 'c', help: 'c', labelNames: [label], registers: [new Registry()] });

const FIXED: Spreads = { of: (_, confidence) => FIRST_SPREADS[confidence], compare: () => undefined };

interface Asked {
  readonly etas: Etas;
  readonly memory: EtasParts['memory'];
  readonly router: GuardedRouter;
  clockMs: number;
}

/** A process that has asked nothing yet. */
function makeAsked(spreads: Spreads = FIXED): Asked {
  const router = guardRouter(createRouter(server.url), {
    requests: counter('outcome'),
    openMs: 100,
    budgetMs: 30_000,
  });
  const memory = createRoadMemory({ db: t.database, log });
  const asked: Asked = {
    router,
    memory,
    clockMs: 0,
    etas: createEtas({ router, memory, spreads, told: counter('source'), monotonicMs: () => asked.clockMs }),
  };
  return asked;
}

const at = (place: Place, ageSeconds = 5): Origin => ({ place, ageSeconds });
const HERE = junctionAt(5, 5);

async function eta({ etas }: Asked, place: Place, to = HERE): Promise<Eta | null> {
  const [one = null] = await etas.etas(TENANT, { from: [at(place)], to });
  return one;
}

/** Until the connection is there: the first request may be late on a busy machine. */
const byRouter = (asked: Asked, place: Place, to = HERE) =>
  expect
    .poll(async () => {
      asked.clockMs += 120_000;
      return (await eta(asked, place, to))?.source ?? 'NONE';
    })
    .toBe('ROUTER');

test('the router tells, then what it told, for two minutes', async () => {
  const asked = makeAsked();
  await byRouter(asked, junctionAt(15, 5));
  const before = (await server.behave({})).requests;
  expect(await eta(asked, junctionAt(15, 5))).toMatchObject({
    confidence: 'HIGH',
    source: 'CACHE',
    roadSeconds: 300,
  });
  expect((await server.behave({})).requests).toBe(before);
  asked.clockMs += 120_000;
  expect(await eta(asked, junctionAt(15, 5))).toMatchObject({ source: 'ROUTER' });
  await asked.router.close();
});

test('without a router a way is estimated, with low confidence and a wider band', async () => {
  const asked = makeAsked();
  await server.behave({ how: 'fail' });
  const estimated = await eta(asked, junctionAt(15, 5));
  await server.behave({ how: 'answer' });
  await byRouter(asked, junctionAt(15, 5));
  const told = await eta(asked, junctionAt(15, 5));
  expect(estimated).toMatchObject({ confidence: 'LOW', source: 'FALLBACK' });
  const width = (one: Eta | null) => ((one?.highSeconds ?? 0) - (one?.lowSeconds ?? 0)) / (one?.seconds ?? 1);
  expect(width(estimated)).toBeGreaterThan(width(told) * 1.5);
  await asked.router.close();
});

test('a river stays a river when the router is away, also for whoever stands beside who was sent round it', async () => {
  const asked = makeAsked();
  const north = junctionAt(SIDE - 5, RIVER_ROW + 1);
  const south = junctionAt(SIDE - 5, RIVER_ROW);
  await byRouter(asked, north, south);
  await byRouter(asked, junctionAt(SIDE - 5, RIVER_ROW - 4), south);
  const round = await eta(asked, north, south);
  await server.behave({ how: 'fail' });
  asked.clockMs += 120_000;
  const remembered = await eta(asked, north, south);
  const beside = await eta(asked, junctionAt(SIDE - 3, RIVER_ROW + 3), south);
  const stranger = await eta(makeAsked(), north, south);
  await server.behave({ how: 'answer' });
  expect(round?.roadSeconds).toBeGreaterThan(2_000);
  expect(remembered).toMatchObject({ confidence: 'LOW', source: 'FALLBACK' });
  expect(remembered?.roadSeconds).toBeGreaterThan(1_500);
  expect(beside?.roadSeconds).toBeGreaterThan(1_500);
  // Who has never asked knows of no river: 250 m are 250 m.
  expect(stranger?.roadSeconds).toBeLessThan(100);
  await asked.router.close();
});

test('nobody is sent where no road led when the router could be asked', async () => {
  const asked = makeAsked();
  await expect.poll(() => eta(asked, ISLAND)).toBe(null);
  await byRouter(asked, junctionAt(15, 5));
  await server.behave({ how: 'fail' });
  asked.clockMs += 120_000;
  const [sent, other] = await asked.etas.etas(TENANT, {
    from: [at(ISLAND), at(junctionAt(15, 5))],
    to: HERE,
  });
  await server.behave({ how: 'answer' });
  expect(sent).toBe(null);
  expect(other).toMatchObject({ source: 'FALLBACK' });
  await asked.router.close();
});

test('a band is wider for an older fix', async () => {
  const asked = makeAsked();
  await byRouter(asked, junctionAt(15, 5));
  const [fresh, stale] = await asked.etas.etas(TENANT, {
    from: [at(junctionAt(15, 5), 30), at(junctionAt(15, 5), 150)],
    to: HERE,
  });
  expect((stale?.highSeconds ?? 0) - (fresh?.highSeconds ?? 0)).toBe(120);
  expect((fresh?.lowSeconds ?? 0) - (stale?.lowSeconds ?? 0)).toBe(120);
  await asked.router.close();
});

test('four of five arrivals fall into the band, with an hour of them without a router', async () => {
  const random = randomOf(11, 'trips');
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const spreads = learning();
  const asked = makeAsked(spreads);
  await byRouter(asked, junctionAt(15, 5));
  const somewhere = () => junctionAt(Math.floor(random() * SIDE), Math.floor(random() * SIDE));
  const roads = gridNetwork();
  const trips = { inside: 0, all: 0, lowInside: 0, low: 0 };
  for (let trip = 0; trip < 1_600; trip++) {
    asked.clockMs += 15_000;
    const [from, to] = [somewhere(), somewhere()];
    const [way = null] = waysFrom(roads, snap(roads, from).junction, [snap(roads, to).junction]);
    if (way === null || way.seconds < 60) {
      continue;
    }
    // Six hours and forty minutes, the fourth of them without a router. Traffic is a tenth slower, and as it comes.
    const isAway = trip >= 720 && trip < 960;
    const told = await (isAway ? spreads.away(asked) : asked).etas.etas(TENANT, { from: [at(from)], to });
    const [one] = told;
    const actual = way.seconds * 1.1 * Math.exp(0.25 * normal());
    if (one !== null && one !== undefined) {
      const isInside = actual >= one.lowSeconds && actual <= one.highSeconds;
      const isLow = one.confidence === 'LOW';
      trips.all += 1;
      trips.inside += isInside ? 1 : 0;
      trips.low += isLow ? 1 : 0;
      trips.lowInside += isLow && isInside ? 1 : 0;
      spreads.arrived(one, actual);
    }
  }
  console.log(
    `in the band: ${((100 * trips.inside) / trips.all).toFixed(1)} % of ${trips.all}, of those without a router ${((100 * trips.lowInside) / trips.low).toFixed(1)} % of ${trips.low}`,
  );
  expect(trips.low).toBeGreaterThan(200);
  expect(trips.inside / trips.all).toBeGreaterThan(0.75);
  expect(trips.inside / trips.all).toBeLessThan(0.85);
  await asked.router.close();
});

/** Spreads as src/services/dispatch/eta/spreads.ts makes them of arrivals, without a database between. */
function learning() {
  const ratios: Record<Eta['confidence'], number[]> = { HIGH: [], LOW: [] };
  const compared: number[] = [];
  let away: Asked | null = null;
  const latest = (all: number[]) => spreadOf(all.slice(-500));
  const of = (_tenant: bigint, confidence: Eta['confidence']): Spread => {
    const high = latest(ratios.HIGH) ?? FIRST_SPREADS.HIGH;
    const estimate = latest(compared);
    return confidence === 'HIGH'
      ? high
      : (latest(ratios.LOW) ?? (estimate === null ? FIRST_SPREADS.LOW : both(high, estimate)));
  };
  const spreads: Spreads = { of, compare: (_, ratio) => void compared.push(ratio) };
  return {
    ...spreads,
    arrived: ({ confidence, roadSeconds }: Eta, actual: number) =>
      void ratios[confidence].push(actual / roadSeconds),
    /** The same process while the router is away. */
    away(asked: Asked): Asked {
      away ??= {
        ...asked,
        etas: createEtas({ router: null, memory: asked.memory, spreads, told: counter('source') }),
      };
      return away;
    },
  };
}
