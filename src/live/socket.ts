import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { withEncoded } from './encoded.js';

/** What graphql-ws talks through. */
export interface SocketPort {
  readonly protocol: string;
  send(data: string): Promise<void>;
  close(code: number, reason: string): void;
  onMessage(listener: (data: string) => Promise<void>): void;
}

export interface SocketOptions {
  readonly log: Logger;
  readonly pingMs: number;
}

/** What one socket may leave unread, at two pings in a row, before it is cut. */
const UNREAD_BYTES_MAX = 1024 * 1024;
const INTERNAL_ERROR = 4500;

/**
 * Wraps a socket for graphql-ws. `send` resolves when the bytes have left the process, so that a subscription is asked
 * for its next item only when there is room for it. A peer that answers no ping, or does not read, is cut.
 */
export function openSocket(socket: WebSocket, { log, pingMs }: SocketOptions): SocketPort {
  keepAlive(socket, pingMs);
  socket.on('error', (error) => log.debug({ err: { message: error.message } }, 'websocket.error'));
  return {
    protocol: socket.protocol,
    send: (data) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== socket.OPEN) {
          resolve();
          return;
        }
        socket.send(withEncoded(data), (error) => (error ? reject(error) : resolve()));
      }),
    close: (code, reason) => socket.close(code, reason),
    onMessage(listener) {
      socket.on('message', (data) => {
        listener(String(data)).catch((error: unknown) => {
          if (socket.readyState === socket.OPEN) {
            log.error({ err: error }, 'websocket.message_failed');
            socket.close(INTERNAL_ERROR, 'Internal server error');
          }
        });
      });
    },
  };
}

function keepAlive(socket: WebSocket, pingMs: number): void {
  let answered = true;
  let wasFull = false;
  const pings = setInterval(() => {
    const isFull = socket.bufferedAmount > UNREAD_BYTES_MAX;
    if (!answered || (isFull && wasFull)) {
      socket.terminate();
      return;
    }
    answered = false;
    wasFull = isFull;
    socket.ping();
  }, pingMs);
  socket.on('pong', () => {
    answered = true;
  });
  socket.once('close', () => clearInterval(pings));
}
