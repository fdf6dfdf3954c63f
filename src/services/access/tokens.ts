import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import { AUDIENCE, DEVELOPMENT_ISSUER, type DevelopmentKey } from './development-key.js';
import { UnauthenticatedError } from './errors.js';
import { ROLES } from './viewer.js';

/** What a verified token says. */
export interface VerifiedToken {
  readonly issuer: string;
  readonly subject: string;
  readonly tenantSlug: string;
  readonly role: (typeof ROLES)[number];
  readonly expiresAtMs: number;
}

/** Where the keys come from: exactly one of the two. */
export interface TokenSource {
  /** Production: the issuer's key set, fetched when an unknown key id turns up and kept for ten minutes. */
  readonly jwks?: { readonly jwksUrl: string; readonly issuer: string; readonly audience: string };
  /** Development and tests. */
  readonly developmentKey?: DevelopmentKey;
}

export type VerifyToken = (token: string) => Promise<VerifiedToken>;

/** Signature algorithms that are accepted: asymmetric ones only, so that a public key can never sign. */
const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'RS256', 'PS256'];
/** A token is at most this long; longer ones are not even looked at. */
const TOKEN_CHARACTERS_MAX = 8_192;

/** What PostgreSQL takes as text: one bad token must not fail those that are looked up with it. */
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !/\0|\p{Cs}/u.test(value));

const Claims = z.object({
  iss: text(500),
  sub: text(500),
  exp: z.number(),
  tenant: text(63),
  role: z.enum(ROLES),
});

/**
 * Makes the check of access tokens: signature, issuer, audience, lifetime, one tenant and one acting role.
 * @throws UnauthenticatedError from the returned function, with a text that says which of them failed
 */
export function createTokenVerifier(source: TokenSource): VerifyToken {
  const trust = trustOf(source);
  return async (token) => {
    if (token.length > TOKEN_CHARACTERS_MAX) {
      throw new UnauthenticatedError('The access token is too long.');
    }
    const payload = await verified(token, trust);
    const claims = Claims.safeParse(payload);
    if (!claims.success) {
      throw new UnauthenticatedError(
        `The access token must name one tenant and exactly one acting role (${ROLES.join(', ')}) as plain strings.`,
      );
    }
    const { iss, sub, exp, tenant, role } = claims.data;
    return { issuer: iss, subject: sub, tenantSlug: tenant, role, expiresAtMs: exp * 1000 };
  };
}

interface Trust {
  readonly key: JWTVerifyGetKey;
  readonly issuer: string;
  readonly audience: string;
}

function trustOf({ jwks, developmentKey }: TokenSource): Trust {
  if (jwks !== undefined && developmentKey !== undefined) {
    throw new Error('Tokens are checked by a key set or by the development key, never by both.');
  }
  if (developmentKey !== undefined) {
    return { key: () => developmentKey.publicKey, issuer: DEVELOPMENT_ISSUER, audience: AUDIENCE };
  }
  if (jwks === undefined || jwks.issuer === DEVELOPMENT_ISSUER) {
    throw new Error('A key set needs its URL and the name of its issuer.');
  }
  const remote = createRemoteJWKSet(new URL(jwks.jwksUrl), {
    cacheMaxAge: 600_000,
    cooldownDuration: 10_000,
  });
  return { key: remote, issuer: jwks.issuer, audience: jwks.audience };
}

async function verified(token: string, { key, issuer, audience }: Trust): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, key, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: 5,
    });
    return payload;
  } catch (error) {
    if (!isFaultOfToken(error)) {
      // The issuer's keys cannot be had: an outage, and no fault of the token.
      throw Object.assign(new Error('The key set of the token issuer cannot be read.', { cause: error }), {
        code: 'ECONNREFUSED',
      });
    }
    throw new UnauthenticatedError(reasonOf(error, token), { cause: error });
  }
}

/** jose throws its base class, too, for a key set that cannot be fetched or read. */
function isFaultOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    error.code !== errors.JOSEError.code &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid)
  );
}

function reasonOf(error: unknown, token: string): string {
  if (error instanceof errors.JWTExpired) {
    return 'The access token has expired.';
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The access token's claim "${error.claim}" is not what this server accepts.`;
  }
  try {
    decodeProtectedHeader(token);
  } catch {
    return 'The Authorization header does not hold an access token (JWT).';
  }
  return 'The access token was not signed by a key that this server accepts.';
}
