import pino, { type Logger as PinoLogger } from 'pino';

/** Structured log: one event name a line, ids and never objects or texts of callers. */
export type Logger = PinoLogger;

/** A logger that writes JSON lines to standard error, so that standard output stays for what a command answers. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
}
