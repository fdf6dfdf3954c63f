import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from 'graphql-ws';
import { afterEach } from 'vitest';
import { WebSocket } from 'ws';
import { SubscriptionError } from '../../src/live/errors.js';
import type { LiveHub } from '../../src/live/hub.js';
import type { LiveParts } from '../../src/live/parts.js';
import { attachWebSocket, type WebSocketLimits, type WebSockets } from '../../src/live/websocket.js';
import { createLocalBus, type EventBus } from '../../src/services/events/bus.js';
import type { TestDb } from '../support/db.js';
import { openBareSocket } from './bare-socket.js';
import { masked, numberEngine } from './number-engine.js';
import { startNode } from './streams.js';
import { silentLog } from './waiting.js';
import { makeWorld, viewerOf, type World } from './world.js';

/** A node with WebSockets, and a customer whose token ends so many milliseconds from now as it says: `Bearer 600000`. */
export interface Site {
  readonly url: string;
  readonly hub: LiveHub;
  readonly bus: EventBus;
  readonly parts: LiveParts;
  readonly sockets: WebSockets;
  readonly world: World;
  /** Who was let in and has not left. */
  present(): number;
  /** Viewers of sockets, one each, that something still holds; after garbage was collected. */
  viewersHeld(): number;
}

/** Sites and clients that go with each test. */
export function useSites(ctx: TestDb) {
  const opened = new Set<() => unknown>();
  afterEach(async () => {
    const all = [...opened].reverse();
    opened.clear();
    for (const close of all) {
      await close();
    }
  });

  async function site(
    limits: Partial<WebSocketLimits> = {},
    shared?: { world: World; bus: EventBus },
  ): Promise<Site> {
    const world = shared?.world ?? (await makeWorld(ctx.admin));
    const bus = shared?.bus ?? createLocalBus();
    const node = startNode({ db: ctx.database, bus, sequencer: shared === undefined });
    const http = createServer();
    const yoga = numberEngine(node.parts, world);
    let present = 0;
    const viewers: WeakRef<object>[] = [];
    const sockets = attachWebSocket(http, {
      path: '/graphql',
      allowedOrigins: ['https://app.example.org'],
      log: silentLog,
      limits,
      mask: masked,
      shared: { contextFor: (viewer) => ({ viewer }), note: async () => undefined },
      onRevoked: () => () => undefined,
      onOpened() {
        present += 1;
        return () => {
          present -= 1;
        };
      },
      contextFor: (viewer) => ({ viewer }),
      engineFor: (context) => yoga.getEnveloped(context as never) as never,
      async authenticate(authorization) {
        if (!authorization?.startsWith('Bearer ')) {
          throw new SubscriptionError('UNAUTHENTICATED', 'Send a token.');
        }
        const [, lifeMs] = authorization.split(' ');
        const viewer = { ...viewerOf(world, 'CUSTOMER'), expiresAtMs: Date.now() + Number(lifeMs) };
        viewers.push(new WeakRef(viewer));
        return viewer;
      },
    });
    await once(http.listen(0, '127.0.0.1'), 'listening');
    opened.add(async () => {
      await sockets.close();
      await node.stop();
      http.close();
    });
    const viewersHeld = () => viewers.filter((one) => one.deref() !== undefined).length;
    const { port } = http.address() as AddressInfo;
    const url = `ws://127.0.0.1:${port}/graphql`;
    return {
      url,
      hub: node.hub,
      bus,
      parts: node.parts,
      sockets,
      world,
      present: () => present,
      viewersHeld,
    };
  }

  function client(url: string, { lifeMs = 600_000 }: { lifeMs?: number } = {}): Client {
    const made = createClient({
      url,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      lazy: true,
      connectionParams: { authorization: `Bearer ${lifeMs}` },
    });
    opened.add(() => made.dispose());
    return made;
  }

  async function socket(url: string, options: { init?: boolean } = {}) {
    const made = await openBareSocket(url, options);
    const end = () => made.raw.terminate();
    opened.add(end);
    made.raw.once('close', () => opened.delete(end)); // Of thousands that have gone nothing is kept.
    return made;
  }

  return { site, client, socket };
}
