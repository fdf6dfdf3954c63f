import { type CommonRedisOptions, Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type RedisFault, RedisUnavailableError } from './redis-errors.js';

export interface RedisOptions {
  readonly url: string;
  /** Goes before every key and channel, so that installations can share a server (default: touchstone). */
  readonly prefix?: string;
  readonly log: Logger;
  /** Hears of each command that was not done, and why. */
  readonly onFault?: (fault: RedisFault) => void;
}

/**
 * Redis as we use it: wake-ups, counting who asks too often, where workers were seen last. The truth is in PostgreSQL, so every call may fail and every message may be lost.
 * Connections are made again by themselves, for ever.
 */
export interface RedisConnection {
  /**
   * The full name of a key or channel. The tag in braces decides the slot of a cluster: keys that one command or script
   * touches together need one tag.
   */
  key(tag: string, ...parts: string[]): string;
  /** Resolves when Redis has taken the message. Rejects with a {@link RedisUnavailableError} that says why, at once where it is down. */
  publish(channel: string, message: string): Promise<void>;
  /**
   * A script; Redis is sent its text once. Rejects as {@link publish} does.
   * @returns what runs it on a key, or on several with one tag
   */
  script(
    name: string,
    lua: string,
  ): (keys: string | readonly string[], args: readonly (string | number)[]) => Promise<unknown>;
  /** Hears a channel from now on, through every reconnect. */
  subscribe(channel: string, listener: (message: string) => void): void;
  /** Called each time that all channels are heard (again): whatever was said before may have been missed. */
  onListening(listener: () => void): void;
  /** Whether Redis answers within the time limit. */
  isUp(): Promise<boolean>;
  /** Ends both connections; no listener is called afterwards. */
  close(): Promise<void>;
}

/** A command that takes longer is of no use to anybody any more. */
const COMMAND_LIMIT_MS = 2_000;
/** Of refusals of one kind one is logged in this time. */
const TOLD_EVERY_MS = 60_000;
/** The listening side says something this often, so that a dead connection is noticed though nobody talks. */
const PING_EVERY_MS = 5_000;
const SILENCE_LIMIT_MS = 10_000;

/** Opens a connection for commands and one for listening. Returns at once; neither waits for Redis to be there. */
export function connectRedis({
  url,
  prefix = 'touchstone',
  log,
  onFault = () => undefined,
}: RedisOptions): RedisConnection {
  const commands = open(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_LIMIT_MS,
  });
  const listening = createListener(url, log);
  reportState(commands, log);
  const ask = asking(reportFaults(log, onFault));
  return {
    key: (tag, ...parts) => [prefix, `{${tag}}`, ...parts].join(':'),
    async publish(channel, message) {
      await ask(() => commands.publish(channel, message), 'publish');
    },
    script(name, lua) {
      commands.defineCommand(name, { lua });
      const run = (commands as unknown as Record<string, Script | undefined>)[name];
      return (given, args) => {
        const keys = typeof given === 'string' ? [given] : given;
        return ask(async () => run?.call(commands, keys.length, ...keys, ...args), name);
      };
    },
    subscribe: listening.subscribe,
    onListening: listening.onListening,
    isUp: () =>
      ask(() => commands.ping(), 'ping').then(
        () => true,
        () => false,
      ),
    async close() {
      listening.close();
      commands.removeAllListeners('close');
      commands.disconnect();
    },
  };
}

type Script = (keys: number, ...keysAndArgs: (string | number)[]) => Promise<unknown>;

type ClientOptions = Pick<
  CommonRedisOptions,
  'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout' | 'autoResubscribe' | 'socketTimeout'
>;

function open(url: string, options: ClientOptions): Redis {
  return new Redis(url, {
    ...options,
    connectTimeout: 5_000,
    keepAlive: 10_000,
    connectionName: 'touchstone',
    // 50, 100, 200 … 2,000 ms, each with up to half as much again, so that nodes do not come back in step.
    retryStrategy: (times) => Math.min(2_000, 25 * 2 ** Math.min(times, 10)) * (1 + Math.random() / 2),
    // After a failover the old primary refuses writes; the next connection finds the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
}

function createListener(url: string, log: Logger) {
  // Channels are taken up by hand, not by ioredis: only after SUBSCRIBE was answered is it true that all are heard.
  const client = open(url, {
    autoResubscribe: false,
    maxRetriesPerRequest: null,
    socketTimeout: SILENCE_LIMIT_MS,
  });
  const listeners = new Map<string, (message: string) => void>();
  let announce: () => void = () => undefined;
  const hear = (channels: string[]) =>
    channels.length === 0
      ? undefined
      : client.subscribe(...channels).then(
          () => announce(),
          (error: Error) => log.debug({ err: error }, 'redis.subscribe_failed'),
        );
  client.on('error', () => undefined);
  client.on('ready', () => hear([...listeners.keys()]));
  client.on('message', (channel: string, message: string) => listeners.get(channel)?.(message));
  const pings = setInterval(() => {
    if (client.status === 'ready') {
      client.ping().catch(() => undefined);
    }
  }, PING_EVERY_MS).unref();
  return {
    subscribe(channel: string, listener: (message: string) => void) {
      listeners.set(channel, listener);
      if (client.status === 'ready') {
        hear([channel]);
      }
    },
    onListening(listener: () => void) {
      announce = listener;
    },
    close() {
      clearInterval(pings);
      listeners.clear();
      announce = () => undefined;
      client.disconnect();
    },
  };
}

/** One line when Redis goes and one when it comes, not one a try. */
function reportState(client: Redis, log: Logger): void {
  let wasUp: boolean | null = null;
  client.on('ready', () => {
    log.info(wasUp === false ? 'redis.back' : 'redis.connected');
    wasUp = true;
  });
  client.on('error', (error: Error) => {
    if (wasUp !== false) {
      log.warn({ err: { message: error.message } }, 'redis.unavailable');
    }
    wasUp = false;
  });
  client.on('close', () => {
    if (wasUp === true) {
      log.warn('redis.lost');
      wasUp = false;
    }
  });
}

type Report = (error: RedisUnavailableError, asked: string) => void;

/** Counts what was not done; of what the server refused one of a kind a minute is logged: a server that is away is told of by itself. */
function reportFaults(log: Logger, onFault: (fault: RedisFault) => void): Report {
  const toldMs = new Map<RedisFault, number>();
  return ({ fault, cause }, asked) => {
    onFault(fault);
    const now = performance.now();
    if (fault !== 'NO_SERVER' && now - (toldMs.get(fault) ?? Number.NEGATIVE_INFINITY) >= TOLD_EVERY_MS) {
      toldMs.set(fault, now);
      log.warn({ fault, asked, said: wordsOf(cause) }, 'redis.refused');
    }
  };
}

/** What the server said, but for what it repeats of the command: that may say where somebody is. */
const wordsOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : '').split(', with args')[0]?.slice(0, 300) ?? '';

/** Says in our words, and reports, why a command was not done. */
const asking =
  (report: Report) =>
  async <T>(command: () => Promise<T>, asked: string): Promise<T> => {
    try {
      return await command();
    } catch (cause) {
      const error = new RedisUnavailableError('Redis did not take the command.', { cause });
      report(error, asked);
      throw error;
    }
  };
