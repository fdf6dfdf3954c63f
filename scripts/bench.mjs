// npm run bench -- <name> [arguments]: runs bench/<name>.ts.
import { existsSync, readdirSync } from 'node:fs';
import { ensureGenerated } from './generate.mjs';
import { ROOT, run } from './support.mjs';

const [name = '', ...args] = process.argv.slice(2);
const file = `${ROOT}bench/${name}.ts`;
if (!/^[\w-]+$/.test(name) || !existsSync(file)) {
  const names = readdirSync(`${ROOT}bench`)
    .filter((entry) => entry.endsWith('.ts'))
    .map((entry) => entry.slice(0, -'.ts'.length));
  console.error(`Usage: npm run bench -- <name>, one of: ${names.join(', ') || 'none yet'}`);
  process.exitCode = 1;
} else {
  await ensureGenerated();
  process.exitCode = await run([process.execPath, '--import', 'tsx', file, ...args]);
}
