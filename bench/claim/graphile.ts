import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { type Machine, run as runSql, withAdmin } from './machine.js';

/** Jobs at once: what its own performance test takes. */
const AT_ONCE = 24;

/**
 * graphile-worker taking one job a request and completing it, as something that hands work to people has to: no local
 * queue, no batched completion. @returns jobs a second
 */
export async function measureGraphile(machine: Machine, jobs: number): Promise<number> {
  const url = machine.urlOf('bench_graphile');
  await runSql(machine.urlOf('postgres'), 'create database bench_graphile');
  const logger = new Logger(() => () => undefined);
  // A pool of ours: what is left of its own would fall over the database that goes.
  const pool = new pg.Pool({ connectionString: url, max: AT_ONCE + 1 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  try {
    await utils.migrate();
    await utils.addJobs(
      Array.from({ length: jobs }, (_, id) => ({ identifier: 'nothing', payload: { id } })),
    );
    await withAdmin(url, async (client) => void (await client.query('vacuum analyze')));
    return await drain(pool, logger, jobs);
  } finally {
    await utils.release();
    await pool.end();
    await runSql(machine.urlOf('postgres'), 'drop database bench_graphile with (force)');
  }
}

async function drain(pool: pg.Pool, logger: Logger, jobs: number): Promise<number> {
  let left = jobs;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const began = performance.now();
  const runner = await run({
    pgPool: pool,
    preset: { worker: { concurrentJobs: AT_ONCE, pollInterval: 500 } },
    logger,
    noHandleSignals: true,
    taskList: {
      async nothing() {
        left -= 1;
        if (left === 0) {
          finish();
        }
      },
    },
  });
  await finished;
  const seconds = (performance.now() - began) / 1000;
  await runner.stop();
  return jobs / seconds;
}
