// Builds the web app into web/dist/<digest of its sources> when that is not there yet. `npm run web`; `npm start` runs it
// beside the API, and tests before they begin. Prints the directory as its last line.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'web/dist');
/** What a change of makes another bundle. The lockfile stands for every library and for the bundler. */
const SOURCES = [
  'web/index.html',
  'web/vite.config.ts',
  'web/src',
  'web/public',
  'src/client',
  'src/services/projects',
  'src/services/platform/counted.ts',
  'src/services/platform/json-texts.ts',
  'src/services/quality/redundancy/policy.ts',
  'package-lock.json',
];
/** Smaller files do not get smaller on their way. */
const COMPRESSED_FROM_BYTES = 1_000;
const COMPRESSIBLE = /\.(js|css|html|svg)$/;
/** Bundles that stay: the new one, and the one that pages that are open still load parts of. */
const KEPT = 2;

/** The directory of the bundle of the sources as they are. Two callers at once: the later one's result is dropped. */
export async function ensureWeb() {
  const directory = join(DIST, digestOfSources());
  if (!existsSync(directory)) {
    await buildInto(directory);
    dropOld(directory);
  }
  return directory;
}

async function buildInto(directory) {
  const staging = join(DIST, `.building-${process.pid}`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(DIST, { recursive: true });
  const { NODE_ENV } = process.env;
  try {
    // Whoever calls may be a test: bundles are as they are in production, and what is started afterwards is not.
    process.env.NODE_ENV = 'production';
    const { build } = await import('vite');
    await build({
      root: join(ROOT, 'web'),
      configFile: join(ROOT, 'web/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: staging, emptyOutDir: true },
    });
    compress(staging);
    renameSync(staging, directory);
  } catch (error) {
    if (!existsSync(directory)) {
      throw error;
    }
  } finally {
    if (NODE_ENV === undefined) {
      delete process.env.NODE_ENV;
    } else {
      process.env.NODE_ENV = NODE_ENV;
    }
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Once here, instead of at each request. */
function compress(directory) {
  for (const file of filesIn(directory).filter((name) => COMPRESSIBLE.test(name))) {
    const bytes = readFileSync(file);
    if (bytes.length >= COMPRESSED_FROM_BYTES) {
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      writeFileSync(
        `${file}.br`,
        brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
      );
    }
  }
}

/** Names are digests and say nothing of age: the directory's time does. */
function dropOld(newest) {
  const others = readdirSync(DIST, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(DIST, name))
    .filter((path) => path !== newest)
    .sort((a, b) => timeOf(b) - timeOf(a));
  for (const path of others.slice(KEPT - 1)) {
    rmSync(path, { recursive: true, force: true });
  }
}

const timeOf = (directory) => statSync(directory).mtimeMs;

function digestOfSources() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => filesIn(join(ROOT, source)))) {
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

function filesIn(path) {
  if (!existsSync(path)) {
    return [];
  }
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    if (error.code === 'ENOTDIR') {
      return [path];
    }
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(await ensureWeb());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
