/** Close codes; a client comes back by itself after each of them. */
export const CLOSE = {
  forbidden: 4403,
  notBegun: 4408,
  goingAway: 4012,
  tooManySockets: 4290,
  tooSlow: 4008,
  tryAgain: 1013,
} as const;

/**
 * A peer whose socket we close has so long to answer, in milliseconds; then it is cut off, and its place and its subscriptions are free. (The
 * types of `ws` do not know it yet.)
 */
export const GOODBYE = { closeTimeout: 1_000 };

/** Of a socket that is cut off: it comes back and goes on from the last cursor of each subscription. */
export const TOO_SLOW = [CLOSE.tooSlow, 'Too slow: go on from the last cursor that you received'] as const;
