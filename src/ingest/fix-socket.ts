import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { CLOSE, GOODBYE } from '../live/close-codes.js';
import { refusalOf } from '../live/websocket.js';
import type { Viewer } from '../services/access/viewer.js';
import type { Fixes } from '../services/dispatch/fixes/open-fixes.js';
import { DomainError } from '../services/platform/errors.js';
import { admit } from './desk.js';
import { createSession, receive, report, type Session } from './fix-session.js';

export interface FixSocketOptions {
  readonly fixes: Fixes;
  readonly log: Logger;
  /** Origins of web pages that may connect, besides the server's own. */
  readonly allowedOrigins: readonly string[];
  /** Who a token speaks for. @throws DomainError with a text for the caller */
  readonly authenticate: (authorization: string | undefined, requestId: string) => Promise<Viewer>;
  /** Calls back when the viewer's role is taken away. @returns what stops that */
  readonly onRevoked: (viewer: Viewer, end: () => void) => () => void;
  readonly limits?: Partial<FixSocketLimits>;
}

export interface FixSocketLimits {
  /** Time for the first message of who sends no Authorization header (default 3 s). */
  readonly initMs: number;
  /** A peer that is silent for one of these is asked whether it is there, for two more it is cut (default 10 s). */
  readonly pingMs: number;
  /** Sockets of one worker (default 3). */
  readonly socketsAWorkerMax: number;
  /** Sockets of this process (default 30,000). */
  readonly socketsMax: number;
}

const LIMITS: FixSocketLimits = {
  initMs: 3_000,
  pingMs: 10_000,
  socketsAWorkerMax: 3,
  socketsMax: 30_000,
};

const SILENT_LOOKS_MAX = 3;
/** Where workers' sockets are answered. */
export const FIX_SOCKET_PATH = '/v1/fixes';
const MESSAGE_BYTES_MAX = 16 * 1024;

/** Sockets by which workers report where they are: one JSON object a message, or an array of them. */
export interface FixSockets {
  /** Takes an upgrade request that is meant for it. @returns whether it was */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): boolean;
  count(): number;
  /** Takes no more, tells every client to go elsewhere, and resolves when all are gone. */
  close(): Promise<void>;
}

/** Makes them; whoever owns the HTTP server passes on upgrade requests. */
export function createFixSockets(options: FixSocketOptions): FixSockets {
  const limits = { ...LIMITS, ...options.limits };
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    ...GOODBYE,
  });
  const sessions = new Set<Session>();
  const socketsOf = new Map<string, number>();
  let draining = false;

  const begin = (session: Session, authorization: string | undefined) =>
    letIn(session, authorization, { ...options, limits, socketsOf });

  function open(socket: WebSocket, request: IncomingMessage): void {
    const session = createSession(socket);
    sessions.add(session);
    options.fixes.metrics.sockets.set(sessions.size);
    const { authorization } = request.headers;
    const late = setTimeout(() => {
      if (session.viewer === null) {
        socket.close(CLOSE.notBegun, 'Nobody said who they are');
      }
    }, limits.initMs);
    socket.on('message', (data) => {
      session.silentFor = 0;
      receive(session, data, { fixes: options.fixes, begin });
    });
    socket.on('pong', () => {
      session.silentFor = 0;
    });
    socket.on('error', (error) =>
      options.log.debug({ err: { message: error.message } }, 'fixes.socket_error'),
    );
    socket.once('close', () => {
      clearTimeout(late);
      sessions.delete(session);
      options.fixes.metrics.sockets.set(sessions.size);
      session.end();
    });
    if (authorization !== undefined) {
      begin(session, authorization);
    }
  }

  const pings = setInterval(() => look(sessions), limits.pingMs).unref();

  return {
    upgrade(request, stream, head) {
      if (request.url?.split('?', 1)[0] !== FIX_SOCKET_PATH) {
        return false;
      }
      const refused = refusalOf(request, {
        options: { path: FIX_SOCKET_PATH, allowedOrigins: options.allowedOrigins },
        full: draining || sessions.size >= limits.socketsMax,
      });
      if (refused !== null) {
        stream.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
        return true;
      }
      server.handleUpgrade(request, stream, head, (socket) => open(socket, request));
      return true;
    },
    count: () => sessions.size,
    async close() {
      draining = true;
      clearInterval(pings);
      await Promise.all([...sessions].map(({ socket }) => leave(socket)));
      server.close();
    },
  };
}

/** Ends who is silent, or whose token has ended, and asks whoever has not reported of late whether they are there. */
function look(sessions: ReadonlySet<Session>): void {
  const nowMs = performance.timeOrigin + performance.now();
  for (const session of sessions) {
    const { socket, viewer } = session;
    if (viewer !== null && viewer.expiresAtMs <= nowMs) {
      socket.close(CLOSE.forbidden, 'The access token has ended');
    } else if (session.silentFor >= SILENT_LOOKS_MAX) {
      socket.terminate();
    } else {
      if (session.silentFor > 0) {
        socket.ping();
      }
      session.silentFor += 1;
    }
  }
}

function leave(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.close(CLOSE.goingAway, 'Going away');
  });
}

interface Admission extends FixSocketOptions {
  readonly limits: FixSocketLimits;
  readonly socketsOf: Map<string, number>;
}

/** Finds out who it is; what they have sent meanwhile is taken then. */
function letIn(session: Session, authorization: string | undefined, admission: Admission): void {
  const { socket } = session;
  known(session, authorization, admission).catch((error: unknown) => {
    if (error instanceof DomainError) {
      socket.close(CLOSE.forbidden, `${error.code}: ${error.message}`.slice(0, 120));
    } else {
      admission.log.error({ err: error }, 'fixes.admission_failed');
      socket.close(CLOSE.tryAgain, 'Try again later');
    }
  });
}

async function known(
  session: Session,
  authorization: string | undefined,
  admission: Admission,
): Promise<void> {
  const { fixes, authenticate, onRevoked, limits, socketsOf } = admission;
  const { socket } = session;
  const viewer = await authenticate(authorization, randomUUID());
  const worker = await admit(fixes, viewer);
  if (socket.readyState !== socket.OPEN) {
    return;
  }
  const { key } = worker;
  const count = (socketsOf.get(key) ?? 0) + 1;
  if (count > limits.socketsAWorkerMax) {
    socket.close(CLOSE.tooManySockets, `At most ${limits.socketsAWorkerMax} sockets a worker`);
    return;
  }
  socketsOf.set(key, count);
  const stopWatching = onRevoked(viewer, () =>
    socket.close(CLOSE.forbidden, 'The role of this token was taken away'),
  );
  session.end = () => {
    stopWatching();
    const left = (socketsOf.get(key) ?? 1) - 1;
    if (left === 0) {
      socketsOf.delete(key);
    } else {
      socketsOf.set(key, left);
    }
  };
  session.viewer = viewer;
  session.worker = worker;
  socket.send(JSON.stringify({ type: 'ready', serverMs: fixes.clock.nowMs() }));
  const { early } = session;
  session.early = [];
  for (const data of early) {
    report(session, worker, { data, fixes });
  }
}
