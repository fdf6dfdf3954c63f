import { setMaxListeners } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { CLOSE, GOODBYE } from './close-codes.js';
import { openSocket } from './socket.js';
import type { Session } from './websocket-operation.js';
import { endSession, type SessionOptions, sessionRules } from './websocket-session.js';

export interface WebSocketLimits {
  /** Time for the first message (default 3 s). */
  readonly initMs: number;
  /** A peer that is silent for two of these is cut (default 12 s). */
  readonly pingMs: number;
  /** Longest message from a client (default 64 KiB). */
  readonly messageBytes: number;
  /** Operations at once on a socket (default 50). */
  readonly subscriptionsMax: number;
  /** Sockets of one person (default 5). */
  readonly socketsAViewerMax: number;
  /** Sockets of this process (default 20,000). */
  readonly socketsMax: number;
}

const LIMITS: WebSocketLimits = {
  initMs: 3_000,
  pingMs: 12_000,
  messageBytes: 64 * 1024,
  subscriptionsMax: 50,
  socketsAViewerMax: 5,
  socketsMax: 20_000,
};

export interface WebSocketOptions
  extends Pick<
    SessionOptions,
    'authenticate' | 'contextFor' | 'engineFor' | 'mask' | 'shared' | 'onOpened' | 'onRevoked' | 'log'
  > {
  /** Only this path is answered, such as /graphql. */
  readonly path: string;
  /** Origins of web pages that may connect, such as https://app.example.org, besides the server's own. */
  readonly allowedOrigins: readonly string[];
  /** Takes requests for other paths. @returns whether it did */
  readonly elsewhere?: (request: IncomingMessage, stream: Duplex, head: Buffer) => boolean;
  readonly limits?: Partial<WebSocketLimits>;
}

export interface WebSockets {
  /** Open sockets. */
  count(): number;
  /** Takes no more, tells every client to go elsewhere (4012), and resolves when all are gone. */
  close(): Promise<void>;
}

/** Answers graphql-ws on an HTTP server: queries, mutations and subscriptions on one socket. */
export function attachWebSocket(http: Server, options: WebSocketOptions): WebSockets {
  const limits = { ...LIMITS, ...options.limits };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageBytes,
    // Compression keeps some hundred KiB a socket; our messages are short.
    perMessageDeflate: false,
    handleProtocols,
    ...GOODBYE,
  });
  const protocol = makeServer(sessionRules({ ...options, ...limits }));
  let draining = false;

  http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    if (options.elsewhere?.(request, stream, head) === true) {
      return;
    }
    const refused = refusalOf(request, {
      options,
      full: draining || sockets.clients.size >= limits.socketsMax,
    });
    if (refused !== null) {
      stream.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const gone = new AbortController();
      setMaxListeners(0, gone.signal); // one for each operation that waits
      const port = openSocket(socket, { stream, log: options.log, pingMs: limits.pingMs });
      const begun = awaitBeginning(socket, limits.initMs);
      const extra: Session = { socket, port, request, gone, begun, running: new Map(), atOnce: new Set() };
      const closed = protocol.opened(port, extra);
      socket.once('close', (code, reason) => {
        endSession(extra, code);
        closed(code, String(reason)).catch((error: unknown) => {
          options.log.error({ err: error }, 'websocket.close_failed');
        });
      });
    });
  });

  return {
    count: () => sockets.clients.size,
    async close() {
      draining = true;
      await drain(sockets);
    },
  };
}

/**
 * Closes a socket whose client does not begin in time. What has come by then is read first: in a crowd that comes back at
 * once it is we who are late. @returns what is to be called when it has begun
 */
function awaitBeginning(socket: WebSocket, initMs: number): () => void {
  let hasBegun = false;
  const close = () => {
    if (!hasBegun) {
      socket.close(CLOSE.notBegun, 'Connection initialisation timeout');
    }
  };
  const late = setTimeout(() => setImmediate(close), initMs);
  const begun = () => {
    hasBegun = true;
    clearTimeout(late);
  };
  socket.once('close', begun);
  return begun;
}

/** A status line, or null where the client may come in. */
export function refusalOf(
  { url, headers }: IncomingMessage,
  { options, full }: { options: Pick<WebSocketOptions, 'path' | 'allowedOrigins'>; full: boolean },
): string | null {
  if (url?.split('?', 1)[0] !== options.path) {
    return '404 Not Found';
  }
  const { origin, host } = headers;
  // Programs send no origin. A page's is its own server's, or one that was named.
  const isOwn = origin === undefined || hostOf(origin) === host;
  if (!isOwn && !options.allowedOrigins.includes(origin)) {
    return '403 Forbidden';
  }
  return full ? '503 Service Unavailable' : null;
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

async function drain(sockets: WebSocketServer): Promise<void> {
  const gone = [...sockets.clients].map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.close(CLOSE.goingAway, 'Going away');
      }),
  );
  await Promise.all(gone);
  await new Promise<void>((resolve) => sockets.close(() => resolve()));
}
