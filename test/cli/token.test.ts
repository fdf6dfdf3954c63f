import { execFile } from 'node:child_process';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDevelopmentKey } from '../../src/services/access/development-key.js';
import { createTokenVerifier } from '../../src/services/access/tokens.js';

const touchstone = fileURLToPath(new URL('../../bin/touchstone.mjs', import.meta.url));
const run = promisify(execFile);
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-token-'));
  await loadDevelopmentKey(dataDir);
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const token = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  run(process.execPath, [touchstone, 'token', ...args], {
    env: { ...process.env, TOUCHSTONE_DATA_DIR: dataDir, ...env },
  });

test('a token speaks for whom it was asked for, signed by the key of the data directory', async () => {
  const { stdout } = await token(['ben', '--role', 'OPERATOR', '--tenant', 'acme']);
  const verify = createTokenVerifier({ developmentKey: await loadDevelopmentKey(dataDir) });
  expect(await verify(stdout.trim())).toMatchObject({ subject: 'ben', role: 'OPERATOR', tenantSlug: 'acme' });
});

test('there are none in production, and no role that nobody has', async () => {
  await expect(token(['ben'], { TOUCHSTONE_MODE: 'production' })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('takes no development tokens'),
  });
  await expect(token(['ben', '--role', 'ROOT'])).rejects.toMatchObject({
    stderr: expect.stringContaining('EXPERT'),
  });
});

test('where no server has been there is no key, and none is made', async () => {
  const elsewhere = join(dataDir, 'elsewhere');
  await expect(token(['ben'], { TOUCHSTONE_DATA_DIR: elsewhere })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no development key'),
  });
  await expect(access(elsewhere)).rejects.toMatchObject({ code: 'ENOENT' });
});
