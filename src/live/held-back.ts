import { each } from './each.js';

// What is written to a socket goes out by one system call with what else is written to it soon: calls are most of what a message costs.

/** While much is told, what has been held back for this long, in milliseconds, goes out at the next pause of the telling. */
const HELD_MS = 100;
/** Sockets that are written to in one turn of the loop: some milliseconds. Whatever else the process does comes between. */
const SOCKETS_A_TURN = 200;

/** Holds something back. */
export interface Holder {
  /** Lets go of what it has held back until now. */
  letGo(): void;
}

let holders: Holder[] = [];
let sinceMs = 0;
/** How many are telling. */
let telling = 0;
/** Who lets go now, from the first on; and who waits until all have. */
const leaving: Holder[] = [];
const watchers: (() => void)[] = [];

/** To be called when something is held back of which there was nothing: it is let go at the end of this turn of the loop, or of the telling. */
export function holdsBack(holder: Holder): void {
  if (holders.push(holder) > 1) {
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
  leaving.push(...holders);
  holders = [];
  if (!isUnderWay) {
    letSomeGo();
  }
}

/** (What is held back by one that has not let go yet goes with it.) */
function letSomeGo(): void {
  each(leaving.splice(0, SOCKETS_A_TURN), (holder) => holder.letGo());
  if (leaving.length > 0) {
    setImmediate(letSomeGo);
    return;
  }
  for (const told of watchers.splice(0)) {
    told();
  }
}
