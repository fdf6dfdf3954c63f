import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { loadConfig } from '../../../src/runtime/config.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { createLogger } from '../../../src/services/platform/logger.js';
import type { OwnRedis } from '../../live/redis-server.js';
import type { Nodes } from '../nodes.js';
import { between, oneOf, type Random } from '../random.js';

/** Two nodes, each with a sequencer and alarms, on one database and one Redis; and what may befall them. */
export interface Site {
  anyUrl(random: Random): string;
  /** Something goes wrong, and is right again when this resolves. */
  upset(random: Random): Promise<void>;
  /** Does something while nothing goes wrong. */
  inPeace<T>(work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Nodes in this process: connections are cut, and nodes stop in good order while others go on. */
export async function inProcess(
  env: NodeJS.ProcessEnv,
  parts: { redis: OwnRedis; admin: pg.Pool },
): Promise<Site> {
  const nodes = await Promise.all([startNode(env), startNode(env)]);
  const alone = oneAtATime();
  const faults: ((random: Random) => Promise<unknown>)[] = [
    ...redisFaults(parts.redis),
    (random) => cut(parts.admin, `application_name like 'touchstone_sequencer%' and $1::float8 >= 0`, random),
    (random) =>
      cut(
        parts.admin,
        `application_name in ('touchstone_app', 'touchstone_system', 'touchstone_line')
           and ('x' || substr(md5(pid::text || $1::float8::text), 1, 8))::bit(32)::bigint % 3 = 0`,
        random,
      ),
    async (random) => {
      const index = Math.floor(random() * nodes.length);
      await nodes[index]?.close();
      nodes[index] = await startNode(env);
    },
  ];
  return {
    anyUrl: (random) => oneOf(random, nodes).url,
    upset: async (random) => void (await alone(() => oneOf(random, faults)(random))),
    inPeace: alone,
    stop: async () => void (await Promise.all(nodes.map((node) => node.close()))),
  };
}

/** Nodes as processes of their own: they are killed, and others start in their place. */
export async function asProcesses(nodes: Nodes, redis: OwnRedis): Promise<Site> {
  await nodes.start(2);
  const alone = oneAtATime();
  const cost = redisFaults(redis);
  let turn = 0;
  return {
    anyUrl: (random) => nodes.anyUrl(random),
    // Every second time a node: a start takes seconds.
    upset: (random) =>
      alone(async () => {
        turn += 1;
        await (turn % 2 === 1 ? nodes.replaceOne(random) : oneOf(random, cost)(random));
      }),
    inPeace: alone,
    stop: () => nodes.stop(),
  };
}

function startNode(env: NodeJS.ProcessEnv): Promise<RunningServer> {
  const config = loadConfig({ ...env, PORT: '0' });
  return startServer({ config, databaseUrl: config.databaseUrl ?? '', log: createLogger(config.logLevel) });
}

const redisFaults = (redis: OwnRedis) => [
  () => redis.killListeners(),
  () => redis.flush(),
  async (random: Random) => {
    await redis.kill();
    await wait(between(random, 0, 200));
    await redis.start();
  },
];

/** Ends connections at this very moment, whatever they are at. */
function cut(admin: pg.Pool, which: string, random: Random): Promise<unknown> {
  return admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and ${which}`,
    [random()],
  );
}

/** What goes wrong for one seed is right again before it goes wrong for another. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
