import { type Database, withSystem } from '../../platform/database.js';
import type { IdCodec } from '../../platform/ids.js';
import { pgQueryable } from '../../platform/pg-queryable.js';
import { retrying } from '../../platform/retry.js';
import type { SecretBox } from '../../platform/secret-box.js';
import * as sql from './deliveries.sql.js';
import { messageBody, messageId } from './payload.js';
import { POST_LIMIT_MS, type Posted, post } from './post.js';
import { signedHeaders } from './signature.js';
import { secretPlace } from './webhooks.js';

export type { Taken } from './deliveries.sql.js';

/** What deliveries are sent with. */
export interface DeliveryParts {
  readonly db: Database;
  readonly ids: IdCodec;
  readonly secrets: SecretBox;
  /** Whether this machine itself may be a receiver: in development. */
  readonly loopback: boolean;
}

/** Of one tenant at a time, over all nodes. */
const EACH = 4;
/** An attempt is over long before somebody else may make one. */
const LEASE_SECONDS = (2 * POST_LIMIT_MS) / 1_000;

/** Takes at most `limit` deliveries that are due. Whoever takes one must send it, or give it back. */
export const takeDeliveries = ({ db }: Pick<DeliveryParts, 'db'>, limit: number): Promise<sql.Taken[]> =>
  withSystem(db, (tx) => sql.takeDeliveries(tx, { limit, each: EACH, seconds: LEASE_SECONDS }));

/** Sends a delivery and records what came of it; given back where `signal` ends the attempt. */
export async function sendDelivery(
  parts: DeliveryParts,
  taken: sql.Taken,
  signal: AbortSignal,
): Promise<sql.Outcome | 'GIVEN_BACK'> {
  const attempt = await attemptOf(parts, taken, signal);
  if (signal.aborted && attempt.error !== null) {
    await withSystem(parts.db, (tx) => sql.giveBack(tx, taken));
    return 'GIVEN_BACK';
  }
  return retrying(() => withSystem(parts.db, (tx) => sql.endDelivery(tx, taken, attempt)));
}

async function attemptOf(
  { ids, secrets, loopback }: DeliveryParts,
  taken: sql.Taken,
  signal: AbortSignal,
): Promise<sql.Attempt> {
  try {
    const body = messageBody(ids, taken);
    const signed = { id: messageId(ids, taken), timestamp: Math.floor(taken.now), body };
    const opened = taken.sealed.map((sealed) => secrets.open(sealed, secretPlace(taken.tenantId)));
    const headers = signedHeaders(signed, opened);
    return judged(await post({ url: taken.url, headers, body, loopback, signal }), taken);
  } catch (error) {
    return { status: null, error: wordsOf(error), afterSeconds: pauseSeconds(taken.attempts), isGone: false };
  }
}

function judged({ status, retryAfterSeconds }: Posted, { attempts }: sql.Taken): sql.Attempt {
  const isTaken = status >= 200 && status < 300;
  const asked = status === 429 || status === 503 ? (retryAfterSeconds ?? 0) : 0;
  return {
    status,
    error: isTaken ? null : `The receiver answered ${status}.`,
    afterSeconds: Math.max(pauseSeconds(attempts), Math.min(asked, PAUSE_MAX_SECONDS)),
    isGone: status === 410,
  };
}

const PAUSE_SECONDS = 5;
const PAUSE_MAX_SECONDS = 3_600;

/** After an attempt: 5, 10, 20 … 3,600 s, and up to a quarter less, so that what failed together does not come back together. */
export function pauseSeconds(attempts: number, random: () => number = Math.random): number {
  const pause = Math.min(PAUSE_MAX_SECONDS, PAUSE_SECONDS * 2 ** Math.min(attempts - 1, 20));
  return pause * (1 - random() / 4);
}

/** Why an attempt failed, in our words: what a socket or resolver says may name addresses of our network. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'The attempt failed.';
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (error.name === 'TimeoutError' || code === 'ABORT_ERR') {
    return `The receiver did not answer within ${POST_LIMIT_MS / 1_000} s.`;
  }
  return code === null ? error.message : `The receiver could not be reached: ${code}.`;
}

const DELIVERIES_A_STEP = 5_000;

/** Takes away some of the deliveries that are older than two weeks. Returns how many. */
export const clearDeliveries = (db: Database): Promise<number> =>
  withSystem(db, (tx) => sql.dropDeliveries(tx, DELIVERIES_A_STEP));

/** What waits for webhooks, for metrics. */
export const readWebhookBacklog = ({ systemPool }: Database): Promise<sql.WebhookBacklog> =>
  sql.webhookBacklog(pgQueryable(systemPool));
