import type { ServerResponse } from 'node:http';
import { type DocumentNode, type GraphQLError, type GraphQLSchema, getOperationAST } from 'graphql';
import { type Context, createContext, sharedExecution } from '../context.js';
import type { Connected } from '../live/connected.js';
import { type EncodedItems, isTooSlow, subscribeLive } from '../live/live-operation.js';
import type { RevocationWatch } from '../live/revocation.js';
import { jitter } from '../services/platform/retry.js';
import { authenticated } from './authenticated.js';
import { type Asked, operationOf } from './event-stream-request.js';
import { begun, endSoon, type Writing, write } from './event-stream-response.js';
import type { Exchange } from './exchange.js';
import { maskError } from './graphql.js';
import { HttpProblem } from './problem.js';

// Server-sent events: GraphQL over SSE, distinct connections mode, one operation a response. Each item of a subscription
// has its cursor as `id:`, so that a browser's EventSource goes on by itself where it was (Last-Event-ID). A response
// that ends without `complete` is to be taken up again.

/** Something is written at least so often, or proxies take the connection for dead. */
const PING_MS = 12_000;
/** A client that reads nothing for so long is cut off. */
const STUCK_MS = 20_000;
/**
 * A response ends after about so long, for its client to come back: one that has vanished without a word would be written to until the
 * system gives it up, a quarter of an hour.
 */
const LIFE_MS = 300_000;

/** How much is streamed, and for how long. */
export interface EventStreamLimits {
  /** Streams of one person (default 20). */
  readonly aViewerMax: number;
  /** Streams of this process (default 20,000). */
  readonly max: number;
  /** How long one lasts, half of it more or less (default 5 minutes). */
  readonly lifeMs: number;
  /** How long a client may take nothing (default 20 seconds). */
  readonly stuckMs: number;
}

const LIMITS: EventStreamLimits = { aViewerMax: 20, max: 20_000, lifeMs: LIFE_MS, stuckMs: STUCK_MS };

/** Why a response ended that has lasted long enough: its client did not get lost. */
const AGED = new Error('This response has lasted long enough');
/** Why all end when the server stops. */
const STOPS = new Error('This server stops');

/** Answers subscriptions as server-sent events. */
export class EventStreams {
  readonly #limits: EventStreamLimits;
  readonly #open = new Set<() => void>();
  readonly #ofViewer = new Map<string, number>();
  #draining = false;

  constructor(
    private readonly parts: { readonly revocation: RevocationWatch; readonly connected: Connected },
    limits: Partial<EventStreamLimits> = {},
  ) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Responses that are open. */
  count(): number {
    return this.#open.size;
  }

  /** Ends all, so that their clients go on elsewhere; nothing further is begun. */
  close(): void {
    this.#draining = true;
    for (const end of this.#open) {
      end();
    }
  }

  /** Runs one operation and streams what comes of it until it ends, the client leaves, or the server stops. */
  async handle(exchange: Exchange): Promise<void> {
    const viewer = await authenticated(exchange);
    const asked = await operationOf(exchange);
    const { app, req, res } = exchange;
    if (res.destroyed) {
      return; // the client left meanwhile, and its `close` with it: nothing would ever end this
    }
    // To an EventSource each refusal is final: it is told to come back instead.
    if (this.#isFull() && req.method === 'GET') {
      endSoon(res);
      return;
    }
    const leave = this.#enter(`${viewer.tenantId}/${viewer.identityId}`);
    const gone = new AbortController();
    const end = (why?: Error) => {
      gone.abort(why);
      endSoon(res);
    };
    const stop = () => end(STOPS);
    this.#open.add(stop);
    const stopWatching = this.parts.revocation.watch(viewer, () => end());
    const aged = setTimeout(() => end(AGED), jitter(this.#limits.lifeMs));
    // At once: what is still read for it holds nobody's place.
    const release = () => {
      clearTimeout(aged);
      this.#open.delete(stop);
      stopWatching();
      leave();
    };
    gone.signal.addEventListener('abort', release, { once: true });
    res.once('close', () => gone.abort());
    try {
      const { connected } = this.parts;
      const context = createContext(app, viewer, { signal: gone.signal, lastEventId: asked.lastEventId });
      await stream({ exchange, asked, context, gone: gone.signal, connected, stuckMs: this.#limits.stuckMs });
    } finally {
      gone.abort();
      endSoon(res, this.#limits.stuckMs);
    }
  }

  #isFull(): boolean {
    return this.#draining || this.#open.size >= this.#limits.max;
  }

  #enter(viewer: string): () => void {
    const count = (this.#ofViewer.get(viewer) ?? 0) + 1;
    if (this.#isFull()) {
      throw new HttpProblem(503, 'UNAVAILABLE', {
        message: 'This server takes no more subscriptions: try again.',
        headers: { 'Retry-After': '2' },
      });
    }
    if (count > this.#limits.aViewerMax) {
      const message = `At most ${this.#limits.aViewerMax} event streams a person: end one, or use one WebSocket for many.`;
      throw new HttpProblem(429, 'TOO_MANY_SUBSCRIPTIONS', { message, headers: { 'Retry-After': '5' } });
    }
    this.#ofViewer.set(viewer, count);
    return () => {
      const left = (this.#ofViewer.get(viewer) ?? 1) - 1;
      if (left === 0) {
        this.#ofViewer.delete(viewer);
      } else {
        this.#ofViewer.set(viewer, left);
      }
    };
  }
}

/** One operation that is to be streamed. */
interface Streaming extends Writing {
  readonly exchange: Exchange;
  readonly asked: Asked;
  readonly context: Context;
  readonly connected: Connected;
}

/** The engine's types are those of one HTTP request; here it is given the context and nothing else. */
interface Engine {
  readonly schema: GraphQLSchema;
  readonly parse: (query: string) => DocumentNode;
  readonly validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[];
  readonly execute: (args: object) => unknown;
  readonly contextFactory: () => unknown;
}

async function stream(streaming: Streaming): Promise<void> {
  const { exchange, context, gone, connected } = streaming;
  const mask = maskError(exchange.app);
  const results = await resultsOf(streaming, mask).catch((error: unknown) => ({ errors: [mask(error)] }));
  const { res } = exchange;
  if (gone.aborted) {
    await (Symbol.asyncIterator in results ? results.return?.() : undefined);
    return;
  }
  const beginning = begun(res);
  const pings = setInterval(() => void res.write(':\n\n'), PING_MS);
  gone.addEventListener('abort', () => clearInterval(pings));
  try {
    await write(res, beginning, streaming);
    if (Symbol.asyncIterator in results) {
      const leave = connected.opened(context.viewer, 'streams');
      const lost = () => leave(gone.reason === AGED);
      gone.addEventListener('abort', lost);
      try {
        leave(await writeItems(res, { ...streaming, items: results, mask }));
      } finally {
        lost();
      }
    } else {
      await write(res, `event: next\ndata: ${JSON.stringify(results)}\n\n`, streaming);
      await write(res, COMPLETE, streaming);
    }
  } finally {
    clearInterval(pings);
  }
}

const COMPLETE = 'event: complete\ndata:\n\n';

type Mask = (error: unknown) => GraphQLError;

async function resultsOf(
  { exchange, asked, context }: Streaming,
  mask: Mask,
): Promise<EncodedItems | object> {
  const engine = exchange.parts.graphql.getEnveloped(context as never) as unknown as Engine;
  const document = engine.parse(asked.query);
  const errors = engine.validate(engine.schema, document);
  if (errors.length > 0) {
    return { errors };
  }
  const args = {
    schema: engine.schema,
    document,
    operationName: asked.operationName,
    variableValues: asked.variables,
    contextValue: await engine.contextFactory(),
  };
  return getOperationAST(document, asked.operationName)?.operation === 'subscription'
    ? subscribeLive({
        args,
        query: asked.query,
        viewer: context.viewer,
        shared: sharedExecution(exchange.app),
        mask,
      })
    : ((await engine.execute(args)) as object);
}

interface Items extends Writing {
  readonly items: EncodedItems;
  readonly mask: Mask;
}

/** @returns whether the subscription came to its end: otherwise its client is to come back */
async function writeItems(res: ServerResponse, writing: Items): Promise<boolean> {
  const { items, gone, mask } = writing;
  const leave = () => {
    const place = [AGED, STOPS].includes(gone.reason) ? items.standsAt() : null;
    if (place !== null && !res.destroyed) {
      res.write(`id: ${place}\n\n`); // What it was not to be told has moved the stream on, and is not to be passed again.
    }
    void items.return?.();
  };
  gone.addEventListener('abort', leave, { once: true });
  if (gone.aborted) {
    leave();
  }
  try {
    for await (const { text, cursor } of items) {
      await write(res, `id: ${cursor}\nevent: next\ndata: ${text}\n\n`, writing);
    }
    if (gone.aborted) {
      return false;
    }
    await write(res, COMPLETE, writing);
    return true;
  } catch (error) {
    if (isTooSlow(error) || gone.aborted) {
      return false; // the response ends as it is, and its client goes on from the last id
    }
    await write(
      res,
      `event: next\ndata: ${JSON.stringify({ errors: [mask(error)] })}\n\n${COMPLETE}`,
      writing,
    );
    return true;
  } finally {
    gone.removeEventListener('abort', leave);
  }
}
