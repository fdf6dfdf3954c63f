import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.js';

const FILE_NAME = 'id.key';

/**
 * The secret of opaque ids: the configuration's, or one that is drawn once for a data directory. Ids that were given
 * out are only understood under the secret they were made with.
 */
export async function loadIdKey({ idKey, dataDir }: Pick<Config, 'idKey' | 'dataDir'>): Promise<string> {
  if (idKey !== undefined) {
    return idKey;
  }
  const folder = join(dataDir, 'keys');
  const file = join(folder, FILE_NAME);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await readKey(file);
  if (found !== null) {
    return found;
  }
  await writeKey(file);
  const made = await readKey(file);
  if (made === null) {
    throw new Error(`${file} is gone again.`);
  }
  return made;
}

async function readKey(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

/** Two processes may start at once: the first link decides, and nobody reads half a key. */
async function writeKey(file: string): Promise<void> {
  const staging = `${file}.${process.pid}`;
  await writeFile(staging, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  await chmod(staging, 0o600);
  try {
    await link(staging, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  } finally {
    await rm(staging, { force: true });
  }
}
