// Brings the servers that tests need and npm cannot bring. Only in CI and as root: elsewhere nothing is installed unasked.
import { existsSync } from 'node:fs';
import { isInstalled, run } from './support.mjs';

const POSTGRES_15 = '/usr/lib/postgresql/15/bin/postgres';

/** Installs Debian's redis-server, PostgreSQL 15 and Chromium where they are missing. Throws when that does not work. */
export async function ensureServers() {
  const missing = [
    ...(process.env.REDIS_URL || isInstalled('redis-server') ? [] : ['redis-server']),
    ...(existsSync(POSTGRES_15) ? [] : ['postgresql-15']),
    ...(isInstalled('chromium') ? [] : ['chromium', 'fonts-dejavu-core']),
  ];
  if (missing.length === 0) {
    return;
  }
  if (process.getuid?.() !== 0) {
    throw new Error(
      `Missing in CI: ${missing.join(' ')}. Run: apt-get update && apt-get install -y ${missing.join(' ')}`,
    );
  }
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const quiet = ['-qq', '-o', 'Dpkg::Use-Pty=0'];
  for (const args of [
    ['update', ...quiet],
    ['install', '-y', '--no-install-recommends', ...quiet, ...missing],
  ]) {
    if ((await run(['apt-get', ...args], { env })) !== 0) {
      throw new Error(`apt-get ${args[0]} failed; the tests need ${missing.join(' and ')}.`);
    }
  }
}
