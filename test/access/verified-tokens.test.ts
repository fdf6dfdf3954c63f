// @once: looks at no database
import { generateKeyPair } from 'jose';
import { expect, test } from 'vitest';
import { mintDevelopmentToken } from '../../src/services/access/development-key.js';
import { createTokenVerifier } from '../../src/services/access/tokens.js';
import { rememberVerified } from '../../src/services/access/verified-tokens.js';

const MINUTE_MS = 60_000;

async function remembered(max = 10) {
  const keys = await generateKeyPair('EdDSA');
  const check = createTokenVerifier({ developmentKey: keys });
  let [checks, nowMs] = [0, 0];
  const verify = rememberVerified(
    (token) => {
      checks += 1;
      return check(token);
    },
    { max, monotonicMs: () => nowMs },
  );
  const mint = (subject: string) =>
    mintDevelopmentToken(keys, { subject, tenantSlug: 'acme', role: 'EXPERT' });
  return {
    verify,
    mint,
    checks: () => checks,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('a signature is checked once in ten minutes, and again after them', async () => {
  const { verify, mint, checks, pass } = await remembered();
  const token = await mint('ada');
  const first = await verify(token);
  pass(9 * MINUTE_MS);
  expect(await verify(token)).toBe(first);
  expect(checks()).toBe(1);
  pass(2 * MINUTE_MS);
  expect(await verify(token)).toEqual(first);
  expect(checks()).toBe(2);
});

test('what was refused is checked each time, and one token never stands for another', async () => {
  const { verify, mint, checks } = await remembered();
  const token = await mint('ada');
  await verify(token);
  const altered = `${token.slice(0, -4)}AAAA`;
  await expect(verify(altered)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(verify(altered)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(checks()).toBe(3);
  expect((await verify(await mint('bob'))).subject).toBe('bob');
});

test('no more are remembered than there is room for', async () => {
  const { verify, mint, checks } = await remembered(2);
  const tokens = await Promise.all(['ada', 'bob', 'cyd'].map(mint));
  for (const token of tokens) {
    await verify(token);
  }
  await verify(tokens[2] ?? '');
  expect(checks()).toBe(3);
  await verify(tokens[0] ?? '');
  expect(checks()).toBe(4);
});
