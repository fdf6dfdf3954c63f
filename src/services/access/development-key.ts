import { chmod, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import type { Role } from './viewer.js';

/** The issuer of development tokens. Production refuses it by name, whatever key signed it. */
export const DEVELOPMENT_ISSUER = 'touchstone-development';
/** What every token must be meant for. */
export const AUDIENCE = 'touchstone';

const ALGORITHM = 'EdDSA';
const FILE_NAME = 'development-token.jwk.json';

/** The key pair that signs and checks development tokens. */
export interface DevelopmentKey {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

export interface TokenClaims {
  readonly subject: string;
  readonly tenantSlug: string;
  readonly role: Role;
  /** Seconds until the token ends (default 30 days). */
  readonly lifetimeSeconds?: number;
}

const MONTH_SECONDS = 30 * 86_400;

/** Reads the development key of a data directory; makes it, for its owner only, where there is none. */
export async function loadDevelopmentKey(dataDir: string): Promise<DevelopmentKey> {
  const folder = join(dataDir, 'keys');
  const file = join(folder, FILE_NAME);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return keyOf((await readKey(file)) ?? (await writeKey(file)));
}

/** The development key of a data directory; null where there is none. */
export async function findDevelopmentKey(dataDir: string): Promise<DevelopmentKey | null> {
  const jwk = await readKey(join(dataDir, 'keys', FILE_NAME));
  return jwk === null ? null : keyOf(jwk);
}

async function keyOf(jwk: JWK): Promise<DevelopmentKey> {
  const { d: _secret, ...publicJwk } = jwk;
  return { privateKey: await imported(jwk), publicKey: await imported(publicJwk) };
}

/** Signs a token for one identity in one acting role. Only a server in development mode accepts it. */
export function mintDevelopmentToken(key: DevelopmentKey, claims: TokenClaims): Promise<string> {
  return new SignJWT({ tenant: claims.tenantSlug, role: claims.role })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuer(DEVELOPMENT_ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(claims.subject)
    .setIssuedAt()
    .setExpirationTime(`${claims.lifetimeSeconds ?? MONTH_SECONDS} seconds`)
    .sign(key.privateKey);
}

async function imported(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, ALGORITHM);
  if (key instanceof Uint8Array) {
    throw new Error('The development key is not an asymmetric key.');
  }
  return key;
}

async function readKey(file: string): Promise<JWK | null> {
  try {
    const jwk = JSON.parse(await readFile(file, 'utf8')) as JWK;
    // A key that others could read is no proof of anything; close it before it is used.
    await chmod(file, 0o600);
    return jwk;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

/** Two processes may start at once: the one that creates the file decides, the other reads it. */
async function writeKey(file: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(jwk));
      await handle.sync();
    } finally {
      await handle.close();
    }
    return jwk;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
    const theirs = await readKey(file);
    if (theirs === null) {
      throw error;
    }
    return theirs;
  }
}
