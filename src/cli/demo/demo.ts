import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { characterOf } from '../../runtime/demo/characters.js';
import { LIVELY_STAFF, LIVELY_TENANT, seedLively } from '../../runtime/demo/seed-lively.js';
import { loadDevelopmentKey, mintDevelopmentToken } from '../../services/access/development-key.js';
import { onInterruption } from '../interruption.js';
import { createDemoClock } from './clock.js';
import { bringFirstWork, liveAsCustomer } from './customer-life.js';
import { live, type World } from './expert-life.js';
import { liveAsOperator, prepareWork, resultsOf } from './operator-life.js';
import { lineOf, sumOf, textOf } from './report.js';
import { DEMO_ISSUER, type DemoServer, withDemoServer } from './server.js';
import { createTally } from './tally.js';

export interface DemoFlags {
  readonly experts: number;
  readonly seed: number;
  readonly rate: number;
  readonly speed: number;
  readonly seconds?: number;
  readonly answers?: number;
  readonly leaseSeconds: number;
  readonly lapse?: number;
  readonly work: number;
  readonly port?: string;
  readonly host?: string;
  readonly open: boolean;
  readonly json?: boolean;
}

/** A line about what goes on comes so often. */
const LINE_SECONDS = 5;
/** So many live there at first, and one batch waits in each project: enough for all to move. The rest comes meanwhile. */
const FIRST_EXPERTS = 60;

/** Runs a demo until its time is over, or until Ctrl-C. */
export async function demo(flags: DemoFlags): Promise<void> {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // everybody who lives in it listens, that is what it is for
  const stopListening = onInterruption(() => stop.abort(new Error('interrupted')));
  try {
    await withDemoServer(flags, (server) => run(flags, server, stop));
  } finally {
    stopListening();
  }
}

async function run(flags: DemoFlags, server: DemoServer, stop: AbortController): Promise<void> {
  const numbers = Array.from({ length: flags.experts }, (_, i) => i + 1);
  const seed = (known: readonly number[]) =>
    seedLively({
      db: server.db,
      tokenIssuer: DEMO_ISSUER,
      characters: known.map((n) => characterOf(flags.seed, n)),
      leaseSeconds: flags.leaseSeconds,
      signal: stop.signal,
    });
  await seed(numbers.slice(0, FIRST_EXPERTS));
  const world = await worldOf(flags, server, stop.signal);
  await prepareWork(world);
  await bringFirstWork(world, { share: flags.work, most: 1 });
  await tell(flags, server, world);
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1000;
  const end = flags.seconds === undefined ? undefined : setTimeout(() => stop.abort(), flags.seconds * 1000);
  const stopWatching = await liveAsOperator(world);
  const report = setInterval(() => say(flags, [lineOf(world.tally, seconds())]), LINE_SECONDS * 1000);
  const enough = setInterval(() => hasEnough(flags, world) && stop.abort(), 100);
  const others = seed(numbers);
  const lives = numbers.map(async (n) => {
    await (n > FIRST_EXPERTS ? others : null);
    await live(world, n);
  });
  await Promise.all([...lives, others, liveAsCustomer(world, flags.work)]);
  clearTimeout(end);
  clearInterval(report);
  clearInterval(enough);
  stopWatching();
  await conclude(flags, world, seconds());
}

async function worldOf(
  { seed, rate, speed, leaseSeconds, lapse }: DemoFlags,
  { config, url }: DemoServer,
  signal: AbortSignal,
): Promise<World> {
  const key = await loadDevelopmentKey(config.dataDir);
  return {
    url: `${url}/graphql`,
    tokenOf: (subject, role) => mintDevelopmentToken(key, { subject, role, tenantSlug: LIVELY_TENANT }),
    clock: createDemoClock(speed),
    tally: createTally(),
    ...{ seed, rate, leaseSeconds, lapse, signal },
  };
}

/** Where to look: a link for each role, with its token where no server sees it. */
async function tell(flags: DemoFlags, { url }: DemoServer, { tokenOf }: World): Promise<void> {
  const people = [...LIVELY_STAFF, { role: 'EXPERT' as const, subject: 'expert-001' }];
  const links = await Promise.all(
    people.map(async ({ role, subject }) => [role, `${url}/#token=${await tokenOf(subject, role)}`] as const),
  );
  say(flags, [
    `The demo runs with ${flags.experts} experts (seed ${flags.seed}). Open it as one of them:`,
    '',
    ...links.map(([role, link]) => `  ${role.padEnd(10)} ${link}`),
    '',
    flags.seconds === undefined ? 'Ctrl-C ends it.' : `It ends by itself after ${flags.seconds} s.`,
  ]);
  const [, first] = links.find(([role]) => role === SHOWN) ?? [];
  if (flags.open && process.stdout.isTTY && first !== undefined) {
    openInBrowser(first);
  }
}

/** Whose page opens: all that goes on is on the operator’s. */
const SHOWN = 'OPERATOR';

/** As far as there is one; whoever has none reads the address. */
function openInBrowser(url: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  const child = spawn(opener, [url], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}

const hasEnough = ({ answers }: DemoFlags, { tally: { submits, expiries } }: World): boolean =>
  answers !== undefined && submits >= answers && expiries > 0;

async function conclude(flags: DemoFlags, world: World, seconds: number): Promise<void> {
  const { experts, seed } = flags;
  const sum = sumOf(world.tally, { seconds, experts, seed, results: await resultsOf(world) });
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(sum)}\n`);
  } else {
    say(flags, textOf(sum, world.tally));
  }
}

/** With --json nothing but the sum is printed. */
function say({ json = false }: DemoFlags, lines: readonly string[]): void {
  if (!json) {
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}
