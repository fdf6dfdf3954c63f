import type { Duplex } from 'node:stream';
import { each } from './each.js';

// What is written to a socket goes out by one system call with what else is written to it soon: calls are most of what a message costs.

/** While much is told, nothing is held back for longer than this, in milliseconds. */
const HELD_MS = 100;

let streams: Duplex[] = [];
let sinceMs = 0;
/** How many are telling. */
let telling = 0;

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

/** Much is told from now on, over several turns of the loop, until what is returned is called, once. */
export function beginTelling(): () => void {
  telling += 1;
  return () => {
    telling -= 1;
    if (telling === 0) {
      letGo();
    }
  };
}

/** To be called between turns while much is told. */
export function letGoOfOld(): void {
  if (performance.now() - sinceMs > HELD_MS) {
    letGo();
  }
}

function letGo(): void {
  const all = streams;
  streams = [];
  each(all, (stream) => stream.uncork());
}
