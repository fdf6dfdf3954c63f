// npm run bench -- <name> [arguments]: runs bench/<name>.ts.
import { existsSync, readdirSync } from 'node:fs';
import { ensureGenerated } from './generate.mjs';
import { ROOT, run } from './support.mjs';

const [name = '', ...args] = process.argv.slice(2);
const file = `${ROOT}bench/${name}.ts`;
if ([name, ...args].some((word) => word === '--help' || word === '-h')) {
  console.log(usage());
} else if (!/^\w[\w-]*$/.test(name) || !existsSync(file)) {
  console.error(usage());
  process.exitCode = 1;
} else {
  await ensureGenerated();
  process.exitCode = await run([process.execPath, '--import', 'tsx', file, ...args]);
}

function usage() {
  const names = readdirSync(`${ROOT}bench`)
    .filter((entry) => entry.endsWith('.ts'))
    .map((entry) => entry.slice(0, -'.ts'.length));
  return `Usage: npm run bench -- <name> [arguments], one of: ${names.join(', ')}
fanout takes --sockets, --seconds and --only <part>[,<part>] of bare, yoga, ours, storm, stuck; idle takes --leases, --seconds and --explain; dispatch takes --only <part>[,<part>] of fixes, decisions, lease, fairness, and --workers, --seconds, --attempts, --jobs; claim takes --only <part>[,<part>], --size <tasks>, --full and --explain; docs/benchmarks.md names its parts.`;
}
