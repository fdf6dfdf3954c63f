import DataLoader from 'dataloader';
import type { Database } from '../platform/database.js';
import { UnauthenticatedError } from './errors.js';
import { findViewers } from './people.js';
import type { VerifiedToken, VerifyToken } from './tokens.js';
import type { Viewer } from './viewer.js';

/** Answers who a token speaks for. */
export interface Authenticator {
  /**
   * The viewer behind a token; `requestId` stands in the access log.
   * @throws UnauthenticatedError with a text for the caller
   */
  authenticate(token: string, requestId: string): Promise<Viewer>;
}

/**
 * How long an answer is reused: a role that was taken away bites within this time, and a client in a loop costs one
 * signature check and one look-up in it.
 */
const REUSE_MS = 5_000;
/** Tokens remembered at once; far above what one process serves in five seconds. */
const REMEMBERED_MAX = 10_000;
/** Looked up by one statement: whoever comes in the same turn of the loop. */
const LOOKED_UP_MAX = 100;

type Known = Omit<Viewer, 'requestId'>;

interface Entry {
  readonly viewer: Promise<Known>;
  readonly untilMs: number;
}

export interface AuthenticatorOptions {
  /** A clock that never jumps; tests move it. */
  readonly monotonicMs?: () => number;
  /** How long an answer is reused (default 5 s). */
  readonly reuseMs?: number;
  /** Tokens remembered at once (default 10,000). */
  readonly rememberedMax?: number;
}

/** Makes the authenticator of one process. */
export function createAuthenticator(
  db: Database,
  verify: VerifyToken,
  options: AuthenticatorOptions = {},
): Authenticator {
  const { monotonicMs = () => performance.now() } = options;
  const { reuseMs = REUSE_MS, rememberedMax = REMEMBERED_MAX } = options;
  const entries = new Map<string, Entry>();
  const viewers = new DataLoader((tokens: readonly VerifiedToken[]) => findViewers(db, tokens), {
    cache: false,
    maxBatchSize: LOOKED_UP_MAX,
    batchScheduleFn: (look) => void setImmediate(look),
  });

  function look(token: string): Promise<Known> {
    const nowMs = monotonicMs();
    const entry = entries.get(token);
    if (entry !== undefined && entry.untilMs > nowMs) {
      return entry.viewer;
    }
    entries.delete(token);
    const viewer = verify(token).then((verified) => knownViewer(viewers, verified));
    // What failed is looked at again next time: a role may have been granted since.
    viewer.catch(() => entries.delete(token));
    evictOldest(entries, rememberedMax);
    entries.set(token, { viewer, untilMs: nowMs + reuseMs });
    return viewer;
  }

  return {
    async authenticate(token, requestId) {
      const known = await look(token);
      if (known.expiresAtMs <= performance.timeOrigin + performance.now()) {
        throw new UnauthenticatedError('The access token has expired.');
      }
      return { ...known, requestId };
    },
  };
}

/** The token in an Authorization header. @throws UnauthenticatedError where there is none */
export function bearerToken(header: string | null | undefined): string {
  const match = /^Bearer +([^\s]+)$/i.exec(header ?? '');
  if (match?.[1] === undefined) {
    throw new UnauthenticatedError('Send an access token: "Authorization: Bearer <token>".');
  }
  return match[1];
}

type Viewers = DataLoader<VerifiedToken, Omit<Known, 'role' | 'expiresAtMs'> | null>;

async function knownViewer(viewers: Viewers, token: VerifiedToken): Promise<Known> {
  const found = await viewers.load(token);
  if (found === null) {
    throw new UnauthenticatedError(
      `This tenant knows nobody behind the token in the role ${token.role}: ask its operator for it.`,
    );
  }
  return { ...found, role: token.role, expiresAtMs: token.expiresAtMs };
}

function evictOldest(entries: Map<string, unknown>, max: number): void {
  if (entries.size >= max) {
    const oldest = entries.keys().next();
    if (!oldest.done) {
      entries.delete(oldest.value);
    }
  }
}
