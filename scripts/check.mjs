// npm run check: everything that can be said about the tree without running it. Goes on after a failure.
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { ensureGenerated } from './generate.mjs';
import { capture, ROOT, reportCounts, reportFailures, tool } from './support.mjs';

const TEETH = `${ROOT}test/teeth`;

/** Checks of what does not exist yet are left out, not passed. */
const CHECKS = [
  { name: 'format and lint, import directions', command: tool('@biomejs/biome/bin/biome', 'ci', '.') },
  { name: 'types', command: tool('typescript/bin/tsc', '--noEmit', '-p', '.') },
  {
    name: 'types of the web app',
    command: tool('typescript/bin/tsc', '--noEmit', '-p', 'web'),
    when: `${ROOT}web/tsconfig.json`,
  },
  {
    name: 'schema.graphql is what the code says',
    command: [process.execPath, `${ROOT}scripts/print-schema.mjs`, '--check'],
    when: `${ROOT}src/schema/index.ts`,
  },
  {
    name: 'generated clients are those of schema.graphql',
    command: tool('@graphql-codegen/cli/cjs/bin.js', '--check'),
    when: `${ROOT}schema.graphql`,
  },
  ...patches().map((patch) => ({
    name: `teeth still apply: ${patch}`,
    group: 'teeth still apply',
    command: ['git', 'apply', '--check', `${TEETH}/${patch}`],
  })),
].filter(({ when }) => when === undefined || existsSync(when));

await ensureGenerated();
const failures = [];
const passedOf = new Map();
const outcomes = await captureAll(CHECKS);
for (const [index, { name, group = name }] of CHECKS.entries()) {
  const { code, output } = outcomes[index];
  if (code === 0) {
    passedOf.set(group, (passedOf.get(group) ?? 0) + 1);
  } else {
    const indented = output.trimEnd().replace(/^/gm, '       ');
    failures.push(`${name}\n${indented}`);
    console.log(`FAILED ${name}\n${indented}`);
  }
}
for (const [group, passed] of passedOf) {
  console.log(`ok     ${group}${passed > 1 ? ` (${passed})` : ''}`);
}
const failed = failures.length;
console.log(`\nchecks: ${CHECKS.length - failed} passed, ${failed} failed`);
reportFailures(failures.map((failure) => failure.split('\n').slice(0, 6).join('\n')));
reportCounts({ passed: CHECKS.length - failed, failed });
process.exitCode = failed > 0 ? 1 : 0;

/** What each check says, in their order; as many at once as there are cores. */
async function captureAll(checks) {
  const said = [];
  const waiting = [...checks.entries()];
  const runner = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      said[next[0]] = await capture(next[1].command);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runner));
  return said;
}

function patches() {
  return existsSync(TEETH)
    ? readdirSync(TEETH)
        .filter((name) => name.endsWith('.patch'))
        .sort()
    : [];
}
