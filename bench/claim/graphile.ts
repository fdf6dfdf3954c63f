import { Logger, makeWorkerUtils, run } from 'graphile-worker';
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
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  try {
    await utils.migrate();
    await utils.addJobs(
      Array.from({ length: jobs }, (_, id) => ({ identifier: 'nothing', payload: { id } })),
    );
    await withAdmin(url, async (client) => void (await client.query('vacuum analyze')));
    return await drain(url, logger, jobs);
  } finally {
    await utils.release();
    await runSql(machine.urlOf('postgres'), 'drop database bench_graphile with (force)');
  }
}

async function drain(url: string, logger: Logger, jobs: number): Promise<number> {
  let left = jobs;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const began = performance.now();
  const runner = await run({
    preset: {
      worker: { connectionString: url, concurrentJobs: AT_ONCE, maxPoolSize: AT_ONCE + 1, pollInterval: 500 },
    },
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
