import pino, { type Logger as PinoLogger } from 'pino';
import { sqlState } from './sqlstate.js';

/** Structured log: one event name a line, ids and never objects or texts of callers. */
export type Logger = PinoLogger;

/** A logger that writes JSON lines to standard error, so that standard output stays for what a command answers. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, serializers: { err: loggable }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** What may stand in a log: of a database error never its message or detail, which hold whole rows. */
export function loggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) {
    return { thrown: typeof error };
  }
  const state = sqlState(error);
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    ...(state === null ? { message: error.message.slice(0, 500) } : { sqlState: state }),
    stack: frames.slice(0, 20).map((line) => line.trim()),
  };
}
