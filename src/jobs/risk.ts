import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { EventBus, StreamHead } from '../services/events/bus.js';
import { projectOfLeases } from '../services/events/streams.js';
import { foldWork, judgeProjects } from '../services/forecast/risk.js';
import { closeGone, type ProjectName, projectsDue } from '../services/forecast/risk.sql.js';
import type { Database } from '../services/platform/database.js';
import { pgQueryable } from '../services/platform/pg-queryable.js';
import { jitter } from '../services/platform/retry.js';
import { endLapsed } from '../services/tasks/project-lifts.js';
import { createLoop, type Job } from './loop.js';

export interface RiskOptions {
  readonly db: Database;
  readonly bus: EventBus;
  readonly log: Logger;
}

/** A project is judged at most this often while work goes on in it … */
const REST_MS = 3_000;
/** … and all together never more than a twentieth of the time: counting a batch of a million tasks takes a while. */
const REST_PER_COST = 20;
/** Projects that become due so close together are judged in one transaction, at most so many. */
const TOGETHER_MS = 300;
const AT_ONCE = 50;
/** Forecasts age without anything happening: time passes. */
const STALE_SECONDS = 30;
const SWEEP_EVERY_MS = 5_000;
const PROJECTS_A_SWEEP = 200;
const PROJECTS_KNOWN_MAX = 10_000;
/** One that fails by itself rests for 3, 6, 12 … seconds, at most for so long. */
const REST_FAILED_MAX_MS = 300_000;

interface Known extends ProjectName {
  /** By the process's monotonic clock; null: nothing happened since it was judged. */
  dueAtMs: number | null;
  restMs: number;
  /** Not sooner than this, also where it is found to be due. */
  restUntilMs: number;
  /** How often it has failed by itself since it was last judged; null: not since then, nor among others. */
  failures: number | null;
}

/**
 * Keeps forecasts and the state of risk up to date: of projects in whose leases something moves, soon after; of all
 * others now and then. Any number of nodes may run it; they take turns.
 */
export function createRisk({ db, bus, log }: RiskOptions): Job {
  const polling = pgQueryable(db.systemPool);
  const known = new Map<string, Known>();
  let sweepAtMs = 0;
  let unsubscribe: () => void = () => undefined;

  function hear(heads: readonly StreamHead[]): void {
    for (const { tenantId, stream } of heads) {
      const projectId = projectOfLeases(stream);
      if (projectId !== null) {
        markDue(known, { tenantId, projectId });
      }
    }
  }

  async function step(): Promise<number> {
    const nowMs = performance.now();
    if (nowMs >= sweepAtMs) {
      sweepAtMs = nowMs + jitter(SWEEP_EVERY_MS);
      await sweep(nowMs);
    }
    for (const projects of inGroups(
      [...known.values()].filter(({ dueAtMs }) => (dueAtMs ?? Infinity) <= nowMs),
    )) {
      await judge(projects);
    }
    forgetIdle(known);
    return Math.max(TOGETHER_MS, Math.min(sweepAtMs, ...dueTimes(known)) - performance.now());
  }

  async function sweep(nowMs: number): Promise<void> {
    try {
      await foldWork(db);
      await closeGone(polling);
      await endLapsed(polling);
      const stale = await projectsDue(polling, { olderThanSeconds: STALE_SECONDS, limit: PROJECTS_A_SWEEP });
      for (const project of stale) {
        const one = markDue(known, project);
        one.dueAtMs = Math.max(nowMs, one.restUntilMs);
      }
    } catch (error) {
      // Then it was no project's own fault that it failed.
      for (const one of known.values()) {
        Object.assign(one, { failures: null, restUntilMs: 0 });
      }
      throw error;
    }
  }

  async function judge(projects: readonly Known[]): Promise<void> {
    const beganMs = performance.now();
    for (const project of projects) {
      project.dueAtMs = beganMs + REST_MS;
    }
    try {
      if ((await judgeProjects(db, projects)) === 'done') {
        const nowMs = performance.now();
        const restMs = Math.max(REST_MS, REST_PER_COST * (nowMs - beganMs));
        for (const project of projects) {
          Object.assign(project, { restMs, restUntilMs: nowMs + restMs, failures: null, dueAtMs: null });
        }
        bus.poke();
      }
    } catch (error) {
      log.error({ err: error, projects: projects.map(nameOf) }, 'risk.not_judged');
      putOff(projects, performance.now());
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

const nameOf = ({ tenantId, projectId }: ProjectName): string => `${tenantId}/${projectId}`;

/** Projects that failed together go one by one at once; one that fails by itself rests, longer each time, and holds up nobody. */
function putOff(projects: readonly Known[], nowMs: number): void {
  for (const project of projects) {
    project.failures = projects.length > 1 ? 0 : (project.failures ?? 0) + 1;
    const restMs = project.failures === 0 ? 0 : REST_MS * 2 ** (project.failures - 1);
    project.restUntilMs = nowMs + Math.min(REST_FAILED_MAX_MS, restMs);
    project.dueAtMs = project.restUntilMs;
  }
}

/** A project that was among slow ones, or such as failed, goes by itself, so that it shows which of them it is. */
function inGroups(due: readonly Known[]): Known[][] {
  const isAlone = ({ restMs, failures }: Known) => restMs > REST_MS || failures !== null;
  const quick = due.filter((project) => !isAlone(project));
  const groups = due.filter(isAlone).map((project) => [project]);
  for (let n = 0; n < quick.length; n += AT_ONCE) {
    groups.push(quick.slice(n, n + AT_ONCE));
  }
  return groups;
}

function markDue(known: Map<string, Known>, project: ProjectName): Known {
  const key = nameOf(project);
  const one = known.get(key) ?? {
    ...project,
    dueAtMs: null,
    restMs: REST_MS,
    restUntilMs: 0,
    failures: null,
  };
  one.dueAtMs ??= performance.now() + one.restMs;
  known.set(key, one);
  return one;
}

function dueTimes(known: Map<string, Known>): number[] {
  return [...known.values()].flatMap(({ dueAtMs }) => (dueAtMs === null ? [] : [dueAtMs]));
}

function forgetIdle(known: Map<string, Known>): void {
  if (known.size > PROJECTS_KNOWN_MAX) {
    for (const [key, { dueAtMs }] of known) {
      if (dueAtMs === null) {
        known.delete(key);
      }
    }
  }
}
