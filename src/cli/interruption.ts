/** What the shell and npm send one after the other for one Ctrl-C arrives within this time. */
const SAME_INTERRUPTION_MS = 1_000;

/**
 * Calls `listener` once, at the first SIGINT or SIGTERM. Ctrl-C reaches a command twice when npm runs it, by the
 * terminal and passed on by npm: that is one. A signal that comes later, because the user has no more patience, ends the
 * process at once; an embedded PostgreSQL then stays, and is taken over at the next start.
 * @returns stops listening
 */
export function onInterruption(listener: (signal: NodeJS.Signals) => void): () => void {
  let firstAt: number | undefined;
  const receive = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      listener(signal);
    } else if (performance.now() - firstAt > SAME_INTERRUPTION_MS) {
      process.exit(exitCodeOf(signal));
    }
  };
  process.on('SIGINT', receive).on('SIGTERM', receive);
  return () => void process.off('SIGINT', receive).off('SIGTERM', receive);
}

/** The exit code by which a shell knows that a signal ended a command. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return signal === 'SIGINT' ? 130 : 143;
}
