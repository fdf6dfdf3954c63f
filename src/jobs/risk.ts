import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { EventBus, StreamHead } from '../services/events/bus.js';
import { projectOfLeases } from '../services/events/streams.js';
import { closeGone, foldWork, judgeProjects } from '../services/forecast/risk.js';
import { projectsDue } from '../services/forecast/risk.sql.js';
import type { Database } from '../services/platform/database.js';
import { pgQueryable } from '../services/platform/pg-queryable.js';
import { jitter } from '../services/platform/retry.js';
import { endLapsed } from '../services/tasks/project-lifts.js';
import { Judging, type KnownProject, nameOf } from './judging.js';
import { createLoop, type Job } from './loop.js';

export interface RiskOptions {
  readonly db: Database;
  readonly bus: EventBus;
  readonly log: Logger;
}

/** Projects that become due so close together are judged in one transaction. */
const TOGETHER_MS = 300;
/** Forecasts age without anything happening: time passes. */
const STALE_SECONDS = 30;
const SWEEP_EVERY_MS = 5_000;
const PROJECTS_A_SWEEP = 200;

/**
 * Keeps forecasts and the state of risk up to date: of projects in whose leases something moves, soon after; of all
 * others now and then. Any number of nodes may run it; they take turns.
 */
export function createRisk({ db, bus, log }: RiskOptions): Job {
  const polling = pgQueryable(db.systemPool);
  const judging = new Judging();
  let sweepAtMs = 0;
  let unsubscribe: () => void = () => undefined;

  function hear(heads: readonly StreamHead[]): void {
    for (const { tenantId, stream } of heads) {
      const projectId = projectOfLeases(stream);
      if (projectId !== null) {
        judging.moved({ tenantId, projectId }, performance.now());
      }
    }
  }

  async function step(): Promise<number> {
    const nowMs = performance.now();
    if (nowMs >= sweepAtMs) {
      sweepAtMs = nowMs + jitter(SWEEP_EVERY_MS);
      await sweep(nowMs);
    }
    const projects = judging.next(performance.now());
    if (projects.length > 0) {
      await judge(projects);
    }
    return Math.max(TOGETHER_MS, Math.min(sweepAtMs, judging.dueAtMs) - performance.now());
  }

  async function sweep(nowMs: number): Promise<void> {
    try {
      await foldWork(db);
      await closeGone(db);
      await endLapsed(polling);
      const stale = await projectsDue(polling, { olderThanSeconds: STALE_SECONDS, limit: PROJECTS_A_SWEEP });
      for (const project of stale) {
        judging.found(project, nowMs);
      }
    } catch (error) {
      judging.nobodysFault();
      throw error;
    }
  }

  async function judge(projects: readonly KnownProject[]): Promise<void> {
    const beganMs = performance.now();
    try {
      if ((await judgeProjects(db, projects)) === 'done') {
        judging.judged(projects, { beganMs, endedMs: performance.now() });
        bus.poke();
      }
    } catch (error) {
      log.error({ err: error, projects: projects.map(nameOf) }, 'risk.not_judged');
      judging.failed(projects, { beganMs, endedMs: performance.now() });
    }
  }

  const loop = createLoop({ name: 'risk', log, step });
  return {
    start() {
      unsubscribe();
      unsubscribe = bus.onHeads(hear);
      loop.start();
    },
    async stop() {
      unsubscribe();
      await loop.stop();
    },
  };
}
