import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { RedisConnection } from '../platform/redis.js';

/** How far a stream has been numbered. */
export interface StreamHead {
  readonly tenantId: bigint;
  readonly stream: string;
  readonly epoch: number;
  readonly seq: number;
}

/**
 * Wake-ups between the parts of an installation. A message says that there is something to read in PostgreSQL, never
 * what; one that is lost costs time (each reader looks by itself every few seconds), never an event.
 */
export interface EventBus {
  /** Says that streams have moved, on this node and on the others. Never throws. */
  publishHeads(heads: readonly StreamHead[]): void;
  onHeads(listener: (heads: readonly StreamHead[]) => void): Unsubscribe;
  /** Messages may have been missed: whoever follows a stream should look at once. */
  onResync(listener: () => void): Unsubscribe;
  /** Says that something was written that the sequencer has to number. Cheap, and never throws. */
  poke(): void;
  onPoke(listener: () => void): Unsubscribe;
  close(): void;
}

export type Unsubscribe = () => void;

/** At most this many pokes a second leave a node; the sequencer looks at least every 250 ms anyway. */
const POKE_EVERY_MS = 20;

/** A bus inside one process: an installation of one node. */
export function createLocalBus(): EventBus {
  const emitter = new EventEmitter().setMaxListeners(0);
  const on = (event: string, listener: (...args: never[]) => void): Unsubscribe => {
    emitter.on(event, listener as () => void);
    return () => emitter.off(event, listener as () => void);
  };
  return {
    publishHeads: (heads) => void (heads.length > 0 && emitter.emit('heads', heads)),
    onHeads: (listener) => on('heads', listener),
    onResync: (listener) => on('resync', listener),
    poke: () => void emitter.emit('poke'),
    onPoke: (listener) => on('poke', listener),
    close: () => void emitter.removeAllListeners(),
  };
}

/**
 * A bus between nodes: the local one, and the same messages over Redis. What this node says it hears without Redis, so
 * that an outage of Redis slows down only what comes from other nodes.
 */
export function createRedisBus({ redis, log }: { redis: RedisConnection; log: Logger }): EventBus {
  const emitter = new EventEmitter().setMaxListeners(0);
  const local = createLocalBus();
  const node = randomUUID();
  const channel = redis.key('events', 'wake');
  const say = (message: object) =>
    void redis.publish(channel, JSON.stringify({ node, ...message })).catch((error: Error) => {
      log.debug({ err: { message: error.message } }, 'bus.not_published');
    });
  redis.subscribe(channel, (text) => {
    const message = parseMessage(text);
    if (message === null) {
      log.warn('bus.unreadable_message');
    } else if (message.node !== node) {
      local.publishHeads(message.heads);
      if (message.poke) {
        local.poke();
      }
    }
  });
  redis.onListening(() => emitter.emit('resync'));
  const pokeOthers = throttled(() => say({ poke: true }));
  return {
    ...local,
    publishHeads(heads) {
      if (heads.length > 0) {
        local.publishHeads(heads);
        say({ heads: heads.map((h) => [String(h.tenantId), h.stream, h.epoch, h.seq]) });
      }
    },
    onResync(listener) {
      emitter.on('resync', listener);
      return () => emitter.off('resync', listener);
    },
    poke() {
      local.poke();
      pokeOthers.call();
    },
    close() {
      pokeOthers.cancel();
      emitter.removeAllListeners();
      local.close();
    },
  };
}

const WireHead = z
  .tuple([z.string().regex(/^\d{1,19}$/), z.string().min(1).max(200), z.int().min(1), z.int().min(0)])
  .transform(
    ([tenantId, stream, epoch, seq]): StreamHead => ({ tenantId: BigInt(tenantId), stream, epoch, seq }),
  );
const WireMessage = z.object({
  node: z.string(),
  heads: z.array(WireHead).default([]),
  poke: z.boolean().default(false),
});

function parseMessage(text: string): z.infer<typeof WireMessage> | null {
  try {
    return WireMessage.parse(JSON.parse(text));
  } catch {
    return null; // another program on our channel, or another version of us
  }
}

/** Calls at once, then at most every {@link POKE_EVERY_MS}; a call in between is made at the end of the interval. */
function throttled(action: () => void): { call(): void; cancel(): void } {
  let timer: NodeJS.Timeout | null = null;
  let again = false;
  const rest = () => {
    timer = setTimeout(() => {
      timer = null;
      if (again) {
        again = false;
        action();
        rest();
      }
    }, POKE_EVERY_MS).unref();
  };
  return {
    call() {
      if (timer !== null) {
        again = true;
        return;
      }
      action();
      rest();
    },
    cancel() {
      if (timer !== null) {
        clearTimeout(timer);
      }
      again = false;
    },
  };
}
