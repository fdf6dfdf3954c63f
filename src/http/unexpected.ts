import { randomUUID } from 'node:crypto';
import type { App } from '../context.js';
import { loggable } from '../services/platform/logger.js';
import { isConnectionLost, sqlState } from '../services/platform/sqlstate.js';

/** A masked error: what the caller is told, and the id under which the log has the rest. */
export interface Unexpected {
  readonly code: 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE' | 'TIMEOUT';
  readonly message: string;
  readonly errorId: string;
}

const MESSAGES = {
  INTERNAL_SERVER_ERROR: 'Something went wrong on our side.',
  SERVICE_UNAVAILABLE: 'The service is not available just now: try again shortly.',
  TIMEOUT: 'This took too long and was given up.',
} as const;

/** Logs an error that no caller can do anything about, and says what they may know of it. */
export function reportUnexpected(
  { log, telemetry }: Pick<App, 'log' | 'telemetry'>,
  error: unknown,
  at: { readonly requestId: string; readonly path?: string },
): Unexpected {
  const errorId = randomUUID();
  const code = codeOf(error);
  telemetry.errors.inc({ code });
  log.error({ event: 'request.failed', errorId, code, ...at, ...loggable(error) }, 'request.failed');
  return { code, message: MESSAGES[code], errorId };
}

/** SQLSTATEs of a database that is out of room, and of a lock that could not be had in time. */
const NOT_NOW = /^(53|55P03)/;
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
]);

function codeOf(error: unknown): Unexpected['code'] {
  const state = sqlState(error);
  if (state === '57014') {
    return 'TIMEOUT';
  }
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  const isOutage =
    isConnectionLost(error) ||
    (state !== null && NOT_NOW.test(state)) ||
    (typeof code === 'string' && CONNECTION_CODES.has(code));
  return isOutage ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR';
}
