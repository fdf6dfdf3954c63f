import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../platform/database.js';
import { createEtas } from './eta/etas.js';
import { guardRouter } from './eta/guarded-router.js';
import { createRoadMemory, type RoadMemory } from './eta/road-memory.js';
import { createRouter } from './eta/router.js';
import { createSpreads } from './eta/spreads.js';
import type { HotIndex } from './fixes/hot-index.js';
import type { Dispatch } from './ports.js';

export interface DispatchParts {
  readonly db: Database;
  readonly index: HotIndex;
  readonly registry: Registry;
  readonly log: Logger;
  /** Of a server of OSRM's HTTP API; undefined: ways are estimated. */
  readonly routerUrl: string | undefined;
}

/** {@link Dispatch}, and what keeps it up. */
export interface OpenDispatch extends Dispatch {
  readonly memory: RoadMemory;
  close(): Promise<void>;
}

/** Where workers are, by the index of fixes, and how long they take, by the router. Connects to the router on first use. */
export function openDispatch({ db, index, registry, log, routerUrl }: DispatchParts): OpenDispatch {
  const registers = [registry];
  const memory = createRoadMemory({ db, log });
  const spreads = createSpreads({ db, log });
  const requests = new Counter({
    name: 'touchstone_router_requests_total',
    help: 'Requests to the road router, by how they ended: OK, LATE (over 150 ms), FAILED, OPEN (not asked: it kept failing), FULL (not asked: too many at once).',
    labelNames: ['outcome'],
    registers,
  });
  const told = new Counter({
    name: 'touchstone_etas_total',
    help: 'Estimated times of arrival, by what told them: ROUTER, CACHE, FALLBACK (by distance and what is remembered).',
    labelNames: ['source'],
    registers,
  });
  const router = routerUrl === undefined ? null : guardRouter(createRouter(routerUrl), { requests });
  new Gauge({
    name: 'touchstone_router_open',
    help: '1 while the router is left alone because it kept failing.',
    registers,
    collect() {
      this.set(router?.isOpen() === true ? 1 : 0);
    },
  });
  return {
    nearby: index,
    etas: createEtas({ router, memory, spreads, told }),
    memory,
    async close() {
      await memory.flush().catch((error: unknown) => log.warn({ err: error }, 'eta.memory_not_kept'));
      await router?.close();
    },
  };
}
