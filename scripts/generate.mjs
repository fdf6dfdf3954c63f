// Generates Prisma's client when it is missing or older than the schema. `npm run generate`, and called by everything
// that is about to import it, so that a fresh clone needs no build step.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = `${ROOT}src/generated`;
/** Written last, so an interrupted generation counts as none. */
const DIGEST = `${OUTPUT}/prisma/.digest`;
const LOCK = `${OUTPUT}/.generating`;

/** Makes sure that the generated client is that of prisma/schema.prisma. Two callers at once: one works, one waits. */
export async function ensureGenerated() {
  const digest = digestOfSources();
  while (read(DIGEST) !== digest) {
    if (takeLock()) {
      try {
        if (read(DIGEST) !== digest) {
          await generate();
          writeFileSync(DIGEST, digest);
        }
      } finally {
        rmSync(LOCK, { force: true });
      }
    } else {
      await delay(50);
    }
  }
}

function digestOfSources() {
  const require = createRequire(import.meta.url);
  const hash = createHash('sha256');
  hash.update(readFileSync(`${ROOT}prisma/schema.prisma`));
  hash.update(require('prisma/package.json').version);
  return hash.digest('hex');
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function takeLock() {
  mkdirSync(OUTPUT, { recursive: true });
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') {
      throw error;
    }
  }
  const holder = Number(read(LOCK));
  if (holder > 0 && !isAlive(holder)) {
    rmSync(LOCK, { force: true });
  }
  return false;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function generate() {
  rmSync(DIGEST, { force: true });
  const require = createRequire(import.meta.url);
  const child = spawn(process.execPath, [require.resolve('prisma/build/index.js'), 'generate'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      // Generating does not use the schema engine, but the command looks for one and would download it.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    throw new Error(`Prisma's client could not be generated.\n${output}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await ensureGenerated();
}
