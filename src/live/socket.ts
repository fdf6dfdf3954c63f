import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { TOO_SLOW } from './close-codes.js';
import { type Holder, holdsBack } from './held-back.js';
import type { ByteString } from './text-frame.js';

/** What graphql-ws talks through. */
export interface SocketPort {
  readonly protocol: string;
  send(data: string): Promise<void>;
  /** Whether {@link push} takes more just now. */
  hasRoom(): boolean;
  /**
   * Sends a whole frame together with what else is sent in this turn of the loop, or while much is told: see held-back.ts. A promise where no more
   * should be sent before it resolves; null where there is room.
   */
  push(frame: ByteString): Promise<void> | null;
  close(code: number, reason: string): void;
  onMessage(listener: (data: string) => Promise<void>): void;
}

export interface SocketOptions {
  /** What the socket writes to. */
  readonly stream: Duplex;
  readonly log: Logger;
  readonly pingMs: number;
}

/** What one socket may leave unread, at two pings in a row, before it is cut. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** What is held back of one socket: as much as is written to it before it has to be waited for. */
const HELD_BYTES_MAX = 16 * 1024;
const INTERNAL_ERROR = 4500;

/**
 * Wraps a socket for graphql-ws. `send` resolves when the bytes have left the process, so that a subscription is asked
 * for its next item only when there is room for it. A peer that answers no ping, or does not read, is cut.
 */
export function openSocket(socket: WebSocket, { stream, log, pingMs }: SocketOptions): SocketPort {
  keepAlive(socket, pingMs);
  const untilDrained = drained(stream);
  const frames = new Frames(socket, stream);
  const close = socket.close.bind(socket);
  // Also for `ws` itself, which answers the close frame of its client: nothing comes after that of ours.
  socket.close = (code, reason) => {
    frames.goNow();
    close(code, reason);
  };
  socket.on('error', (error) => log.debug({ err: { message: error.message } }, 'websocket.error'));
  return {
    protocol: socket.protocol,
    send: (data) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== socket.OPEN) {
          resolve();
          return;
        }
        frames.goNow();
        socket.send(data, (error) => (error ? reject(error) : resolve()));
      }),
    hasRoom: () => socket.readyState === socket.OPEN && !stream.writableNeedDrain,
    // Between the frames of `ws`, which writes each of its own whole: this is most of what a server sends.
    push(frame) {
      if (socket.readyState !== socket.OPEN) {
        return null;
      }
      frames.add(frame);
      return stream.writableNeedDrain ? untilDrained() : null;
    },
    close: (code, reason) => socket.close(code, reason),
    onMessage(listener) {
      socket.on('message', (data) => {
        // One that we have closed goes on receiving until its peer has answered that, or is cut off: nobody is behind it any more.
        if (socket.readyState !== socket.OPEN) {
          return;
        }
        // Who asks and does not read the answers is asked to wait: what they are owed has a bound.
        if (stream.writableNeedDrain) {
          socket.pause();
          void untilDrained().then(() => socket.resume());
        }
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

/** What is pushed to one socket and is held back: whole frames, one after the other, so that they are one write. */
class Frames implements Holder {
  #held: ByteString = '';
  #isHolding = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Duplex,
  ) {}

  add(frame: ByteString): void {
    this.#held += frame;
    if (this.#held.length >= HELD_BYTES_MAX) {
      this.goNow();
    } else if (!this.#isHolding) {
      this.#isHolding = true;
      holdsBack(this);
    }
  }

  letGo(): void {
    this.#isHolding = false;
    this.goNow();
  }

  /** To be called before anything else is written whose order matters. */
  goNow(): void {
    const { socket, stream } = this;
    const held = this.#held;
    this.#held = '';
    if (held !== '' && socket.readyState === socket.OPEN) {
      stream.write(held, 'latin1');
    }
  }
}

/** One promise for all who wait for the same. */
function drained(stream: Duplex): () => Promise<void> {
  let waiting: Promise<void> | null = null;
  return () => {
    waiting ??= new Promise((resolve) => {
      const end = () => {
        stream.off('drain', end).off('close', end);
        waiting = null;
        resolve();
      };
      stream.on('drain', end).on('close', end);
    });
    return waiting;
  };
}

function keepAlive(socket: WebSocket, pingMs: number): void {
  let answered = true;
  let wasFull = false;
  const pings = setInterval(() => {
    const isFull = socket.bufferedAmount > UNREAD_BYTES_MAX;
    if (!answered || (isFull && wasFull)) {
      clearInterval(pings);
      // It is told why, for whoever reads again later: what the system has taken of it is delivered still.
      socket.close(...TOO_SLOW);
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
