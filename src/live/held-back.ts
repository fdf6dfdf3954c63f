import type { Duplex } from 'node:stream';
import { each } from './each.js';

// What is written to a socket goes out by one system call with what else is written to it soon: calls are most of what a message costs.

/** While much is told, what has been held back for this long, in milliseconds, goes out at the next pause of the telling. */
const HELD_MS = 100;
/** Sockets that are written to in one turn of the loop: some milliseconds. Whatever else the process does comes between. */
const STREAMS_A_TURN = 200;

let streams: Duplex[] = [];
let sinceMs = 0;
/** How many are telling. */
let telling = 0;
/** What goes out now, from the first on; and who waits until it has. */
const leaving: Duplex[] = [];
const watchers: (() => void)[] = [];

/** Holds back what is written to a stream from now on: to the end of this turn of the loop, or of the telling. */
export function holdBack(stream: Duplex): void {
  if (stream.writableCorked > 0) {
    return;
  }
  stream.cork();
  if (streams.push(stream) > 1) {
    return;
  }
  sinceMs = performance.now();
  if (telling === 0) {
    process.nextTick(letGo);
  }
}

/** Much is told from now on, over several turns of the loop, until what is returned is called, once. It resolves when all has gone out. */
export function beginTelling(): () => Promise<void> {
  telling += 1;
  return () => {
    telling -= 1;
    if (telling === 0) {
      letGo();
    }
    return leaving.length === 0 ? Promise.resolve() : new Promise((resolve) => watchers.push(resolve));
  };
}

/** To be called between turns while much is told. */
export function letGoOfOld(): void {
  if (performance.now() - sinceMs > HELD_MS) {
    letGo();
  }
}

function letGo(): void {
  const isUnderWay = leaving.length > 0;
  leaving.push(...streams);
  streams = [];
  if (!isUnderWay) {
    letSomeGo();
  }
}

/** (What is written to one that has not gone yet goes with it.) */
function letSomeGo(): void {
  each(leaving.splice(0, STREAMS_A_TURN), (stream) => stream.uncork());
  if (leaving.length > 0) {
    setImmediate(letSomeGo);
    return;
  }
  for (const told of watchers.splice(0)) {
    told();
  }
}
