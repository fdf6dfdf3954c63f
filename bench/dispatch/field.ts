import { type Machine, run, TEMPLATE } from '../claim/machine.js';
import { type Crowd, startCrowd } from './crowd-client.js';
import { type Decided, type Deciding, startDeciding, textOf } from './decisions.js';
import { ID_KEY, type Processes, startProcesses } from './processes.js';
import type { Report, Row } from './report.js';
import { measureWindow, type Window } from './window.js';
import { type FieldWorld, makeFieldWorld } from './world.js';

// Fixes and decisions together: a crowd of workers, a fifth with sockets of their own at one fix a second, the rest by posts of five
// every twenty seconds, into one ingest process; meanwhile jobs are asked for through the API of another, which asks a road router.

export interface FieldOptions {
  readonly workers: number;
  readonly seconds: number;
  readonly decisions: boolean;
}

interface Field extends FieldOptions {
  readonly processes: Processes;
  readonly crowd: Crowd;
  readonly report: Report;
}

const SOCKET_SHARE = 0.2;
/** Each poster has posted once, so that everybody has been seen and every token is known. */
const WARM_UP_MS = 21_000;
const SLOW_ROUTER_MS = 150;

/** Runs it all, and reports what it found. */
export async function measureField(machine: Machine, options: FieldOptions, report: Report): Promise<void> {
  await run(machine.urlOf('postgres'), `create database field template ${TEMPLATE}`);
  const world = await makeFieldWorld(machine.urlOf('field'), options.workers);
  const processes = await startProcesses(machine, 'field');
  const crowd = startCrowd();
  const field: Field = { ...options, processes, crowd, report };
  try {
    await crowd.tell({ kind: 'gather', crowd: planOf(world, processes) });
    const alone = await bySocket(field);
    await measureWindow(field, { forMs: WARM_UP_MS, posts: true });
    if (options.decisions) {
      await besideDecisions(field, world, alone);
    } else {
      sayFixes(field, await measureWindow(field, { forMs: options.seconds * 1_000, posts: true }), alone);
    }
    await crowd.tell({ kind: 'leave' });
  } finally {
    crowd.stop();
    await processes.stop();
  }
}

const planOf = ({ slug, workers }: FieldWorld, { ingest, dataDir }: Processes) => ({
  url: ingest.url,
  dataDir,
  idKey: ID_KEY,
  slug,
  workers: workers.map(({ subject, expertId }) => ({ subject, expertId: String(expertId) })),
  socketed: Math.round(workers.length * SOCKET_SHARE),
});

/** What a fix costs that comes by a socket: the others say nothing meanwhile. */
async function bySocket(field: Field): Promise<Window> {
  await measureWindow(field, { forMs: 5_000, posts: false });
  const window = await measureWindow(field, { forMs: Math.min(20, field.seconds) * 1_000, posts: false });
  const note = `${Math.round(window.perSecond)} fixes/s, each by a socket of its own`;
  field.report.say({
    name: 'nodeUsPerFix',
    what: 'Node CPU a fix by WebSocket (us)',
    value: window.nodeUs,
    max: 30,
    note,
  });
  return window;
}

async function besideDecisions(field: Field, world: FieldWorld, alone: Window): Promise<void> {
  const { processes, seconds } = field;
  const deciding = await startDeciding(processes, world);
  await deciding.decide(5, 3_000);
  const [first, window] = await beside(field, deciding, { perSecond: 20, seconds });
  sayFixes(field, window, alone);
  const what = 'decision p99 at 20/s, with the test router (ms)';
  sayDecided(field, { name: 'decisionP99Ms', what, max: 60 }, [first, window]);
  await processes.router.behave({ delayMs: SLOW_ROUTER_MS });
  sayDecided(
    field,
    {
      name: 'decisionP99MsSlowRouter',
      what: `decision p99 at 20/s, router takes ${SLOW_ROUTER_MS} ms (ms)`,
      max: 210,
    },
    await beside(field, deciding, { perSecond: 20, seconds: Math.min(seconds, 30) }),
  );
  await processes.router.behave({ delayMs: 0 });
  sayDecided(
    field,
    { name: 'decision100P99Ms', what: 'decision p99 at 100/s, posts alone beside (ms)', max: 250 },
    await beside(field, deciding, { perSecond: 100, seconds: Math.min(seconds, 20), sockets: false }),
  );
  await deciding.close();
}

async function beside(
  field: Field,
  deciding: Deciding,
  {
    perSecond,
    seconds,
    sockets = true,
  }: { readonly perSecond: number; readonly seconds: number; readonly sockets?: boolean },
): Promise<[Decided, Window]> {
  const decided: Decided[] = [];
  const window = await measureWindow(field, { forMs: seconds * 1_000, sockets, posts: true }, async () => {
    decided.push(await deciding.decide(perSecond, seconds * 1_000));
  });
  const [only] = decided;
  if (only === undefined) {
    throw new Error('Nothing was decided.');
  }
  return [only, window];
}

function sayFixes({ report, workers, seconds }: Field, window: Window, alone: Window): void {
  const wanted = workers * SOCKET_SHARE + (workers * (1 - SOCKET_SHARE)) / 4;
  report.say({
    name: 'fixesPerSecond',
    what: 'fixes a second, by sockets and posts',
    value: window.perSecond,
    min: Math.floor(0.99 * wanted),
    note: `${workers} workers, ${seconds} s; cores: ${textOf(window.cores, 2)}`,
  });
  report.say({
    name: 'droppedByLoad',
    what: 'fixes dropped by load',
    value: window.dropped + alone.dropped,
    max: 0,
    note: `${window.failures + alone.failures} refusals; the crowd was late by ${Math.round(window.lateMs)} ms at worst`,
  });
  report.say({ name: 'redisUsPerFix', what: 'Redis CPU a fix (us)', value: window.redisUs, max: 10 });
  report.say({ what: 'Node CPU a fix by sockets and posts together (us)', value: window.nodeUs });
}

function sayDecided(
  { report }: Field,
  of: Pick<Row, 'name' | 'what' | 'max'>,
  [decided, window]: readonly [Decided, Window],
): void {
  const { asked, offered, p50Ms, p99Ms, sources, stages } = decided;
  const note = [
    `p50 ${p50Ms.toFixed(1)}`,
    `${offered} of ${asked} offered`,
    `beside ${Math.round(window.perSecond)} fixes/s`,
    `times told by ${textOf(sources, 2)}`,
    `ms a stage: ${textOf(stages, 1)}`,
    `cores: ${textOf(window.cores, 2)}`,
  ].join('; ');
  report.say({ ...of, value: p99Ms, note });
}
