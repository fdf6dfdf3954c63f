import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAuthenticator } from '../../src/services/access/authenticator.js';
import {
  DEVELOPMENT_ISSUER,
  loadDevelopmentKey,
  mintDevelopmentToken,
} from '../../src/services/access/development-key.js';
import { grantRole } from '../../src/services/access/grants.js';
import { ensureTenant } from '../../src/services/access/people.js';
import { createTokenVerifier } from '../../src/services/access/tokens.js';
import { useTestDb } from '../support/db.js';

const db = useTestDb();

const CLAIMS = { iss: 'https://id.example', aud: 'touchstone', sub: 'ada', tenant: 'acme', role: 'OPERATOR' };

async function issuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  let fetches = 0;
  const server = createServer((_req, res) => {
    fetches += 1;
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  const verify = createTokenVerifier({ jwks: { jwksUrl, issuer: CLAIMS.iss, audience: 'touchstone' } });
  return { verify, privateKey, publicKey, fetched: () => fetches };
}

function sign(key: CryptoKey, claims: object, exp: string | number = '5m') {
  return new SignJWT({ ...CLAIMS, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setExpirationTime(exp)
    .sign(key);
}

test('a token of the issuer’s key set is accepted, and the set is fetched once', async () => {
  const { verify, privateKey, fetched } = await issuer();
  for (let n = 0; n < 3; n++) {
    expect(await verify(await sign(privateKey, {}))).toMatchObject({
      subject: 'ada',
      tenantSlug: 'acme',
      role: 'OPERATOR',
    });
  }
  expect(fetched()).toBe(1);
});

test('a token is refused for its issuer, audience, age, key, tenant, or anything but one role', async () => {
  const { verify, privateKey } = await issuer();
  const stranger = (await generateKeyPair('ES256')).privateKey;
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ ...CLAIMS, exp: 9e9 })).toString('base64url')}.`;
  const bad: [what: string, token: Promise<string> | string][] = [
    ['issuer', sign(privateKey, { iss: 'https://evil.example' })],
    ['development issuer', sign(privateKey, { iss: DEVELOPMENT_ISSUER })],
    ['audience', sign(privateKey, { aud: 'else' })],
    ['age', sign(privateKey, {}, Math.floor(performance.timeOrigin / 1000) - 600)],
    ['key', sign(stranger, {})],
    ['no tenant', sign(privateKey, { tenant: undefined })],
    ['tenants', sign(privateKey, { tenant: ['acme', 'umbrella'] })],
    ['roles', sign(privateKey, { role: ['EXPERT', 'OPERATOR'] })],
    ['joined roles', sign(privateKey, { role: 'EXPERT OPERATOR' })],
    ['unknown role', sign(privateKey, { role: 'ROOT' })],
    ['no role', sign(privateKey, { role: undefined })],
    ['no signature', unsigned],
    ['nonsense', 'nonsense'],
    ['length', 'x'.repeat(10_000)],
  ];
  for (const [what, token] of bad) {
    await expect(verify(await token), what).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  }
});

test('an issuer that cannot be reached is an outage, and no fault of the token', async () => {
  const jwks = { jwksUrl: 'http://127.0.0.1:1/keys', issuer: CLAIMS.iss, audience: 'touchstone' };
  const { privateKey } = await generateKeyPair('ES256');
  const verify = createTokenVerifier({ jwks });
  await expect(verify(await sign(privateKey, {}))).rejects.not.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('the development key is made once, for its owner’s eyes only', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-keys-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const [first, second] = await Promise.all([loadDevelopmentKey(dataDir), loadDevelopmentKey(dataDir)]);
  const [file] = await readdir(join(dataDir, 'keys'));
  expect((await stat(join(dataDir, 'keys', file ?? ''))).mode & 0o777).toBe(0o600);
  const token = await mintDevelopmentToken(first, { subject: 's', tenantSlug: 'acme', role: 'EXPERT' });
  const verify = createTokenVerifier({ developmentKey: second });
  expect(await verify(token)).toMatchObject({ issuer: DEVELOPMENT_ISSUER, subject: 's', role: 'EXPERT' });
});

test('a role that is taken away is refused within five seconds, and one that is granted works at once', async () => {
  const tenantId = await ensureTenant(db.database, { slug: 'acme', name: 'Acme' });
  let nowMs = 0;
  const verified = {
    issuer: 'i',
    subject: 'ada',
    tenantSlug: 'acme',
    role: 'OPERATOR',
    expiresAtMs: Number.MAX_SAFE_INTEGER,
  } as const;
  const { authenticate } = createAuthenticator(db.database, async () => verified, {
    monotonicMs: () => nowMs,
  });
  await expect(authenticate('t', 'r')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await grantRole(db.database, { tenantId, actorId: null }, { ...verified, displayName: 'Ada' });
  expect(await authenticate('t', 'r')).toMatchObject({
    role: 'OPERATOR',
    displayName: 'Ada',
    requestId: 'r',
  });
  await db.admin.query('delete from identity_roles');
  nowMs = 5_001;
  await expect(authenticate('t', 'r')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('a role of one tenant is none of another', async () => {
  const tenantId = await ensureTenant(db.database, { slug: 'one', name: 'One' });
  await ensureTenant(db.database, { slug: 'two', name: 'Two' });
  const who = { issuer: 'i', subject: 'eve', displayName: 'Eve', role: 'ANALYST' } as const;
  await grantRole(db.database, { tenantId, actorId: null }, who);
  const as = (tenantSlug: string, role: 'ANALYST' | 'OPERATOR') =>
    createAuthenticator(db.database, async () => ({
      ...who,
      tenantSlug,
      role,
      expiresAtMs: Number.MAX_SAFE_INTEGER,
    })).authenticate('t', 'r');
  expect(await as('one', 'ANALYST')).toMatchObject({ tenantId });
  await expect(as('two', 'ANALYST')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(as('one', 'OPERATOR')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('a crowd of tokens is looked up by one statement, and each is answered who it is', async () => {
  const makeTenant = async (slug: string) => ({
    slug,
    tenantId: await ensureTenant(db.database, { slug, name: slug }),
  });
  const [north, south] = [await makeTenant('north'), await makeTenant('south')];
  const people = [
    { ...north, subject: 'kim', role: 'ANALYST' },
    { ...south, subject: 'kim', role: 'OPERATOR' },
    { ...north, subject: 'lee', role: 'OPERATOR' },
  ] as const;
  for (const { tenantId, subject, role } of people) {
    const who = { issuer: 'i', subject, displayName: `${subject} of ${tenantId}`, role };
    await grantRole(db.database, { tenantId, actorId: null }, who);
  }
  const asked = [
    people[2],
    { ...south, subject: 'nobody', role: 'OPERATOR' },
    people[0],
    { ...people[0], role: 'OPERATOR' },
    people[1],
    people[2],
  ] as const;
  const statements = vi.spyOn(db.database.systemPool, 'query');
  const { authenticate } = createAuthenticator(db.database, async (token) => {
    const { slug, subject, role } = asked[Number(token)] ?? people[0];
    return { issuer: 'i', subject, tenantSlug: slug, role, expiresAtMs: Number.MAX_SAFE_INTEGER };
  });
  const ends = await Promise.allSettled(asked.map((_who, n) => authenticate(`${n}`, 'r')));
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason))).toMatchObject([
    { tenantId: north.tenantId, displayName: `lee of ${north.tenantId}`, role: 'OPERATOR' },
    { code: 'UNAUTHENTICATED' },
    { tenantId: north.tenantId, displayName: `kim of ${north.tenantId}`, role: 'ANALYST' },
    { code: 'UNAUTHENTICATED' },
    { tenantId: south.tenantId, displayName: `kim of ${south.tenantId}`, role: 'OPERATOR' },
    { tenantId: north.tenantId, displayName: `lee of ${north.tenantId}`, role: 'OPERATOR' },
  ]);
  expect(statements).toHaveBeenCalledTimes(1);
  statements.mockRestore();
});

test('a name that no database takes is refused with its token', async () => {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA');
  const verify = createTokenVerifier({ developmentKey: { privateKey, publicKey } });
  const claims = { tenantSlug: 'acme', role: 'EXPERT' } as const;
  const token = await mintDevelopmentToken({ privateKey, publicKey }, { ...claims, subject: 'a\0b' });
  await expect(verify(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});
