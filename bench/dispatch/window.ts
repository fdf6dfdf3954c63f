import type { Crowd } from './crowd-client.js';
import { byLabel, redisSeconds } from './metrics.js';
import type { Processes } from './processes.js';

/** What a node gave up, for want of room or of the database. */
const BY_LOAD = ['OVERLOADED', 'NOT_KEPT', 'RATE_LIMITED'];
const TAKEN = ['NEWER', 'OLDER', 'SUPERSEDED'];
const FAULTS = [...BY_LOAD, 'MALFORMED', 'OFF_MAP', 'AHEAD_OF_TIME', 'TOO_OLD', 'OFF_SHIFT'];
/** What has been sent is judged within this time, or is lost. */
const SETTLE_LOOKS = 100;
const LOOK_MS = 50;

/** What became of the fixes of some seconds, and what they cost. */
export interface Window {
  readonly sent: number;
  /** By the time at which the last post was answered. */
  readonly perSecond: number;
  readonly dropped: number;
  readonly failures: number;
  /** How late the crowd was at worst. */
  readonly lateMs: number;
  /** CPU a fix. */
  readonly nodeUs: number;
  readonly redisUs: number;
  /** Share of a core of each process. */
  readonly cores: Readonly<Record<string, number>>;
}

export interface Reporting {
  readonly forMs: number;
  /** Whether those with sockets report (default: they do). */
  readonly sockets?: boolean;
  /** Whether those without sockets post. */
  readonly posts: boolean;
}

/** Has the crowd report for some seconds, with something else beside it, and measures. */
export async function measureWindow(
  { processes, crowd }: { readonly processes: Processes; readonly crowd: Crowd },
  { forMs, sockets = true, posts }: Reporting,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<Window> {
  const outcomes = () => byLabel(processes.ingest.url, 'touchstone_fixes_total', 'outcome');
  const used = async () => ({ ...processes.cpu(), redis: await redisSeconds(processes.redis) });
  const before = { outcomes: await outcomes(), used: await used() };
  const began = performance.now();
  const [sent] = await Promise.all([crowd.tell({ kind: 'report', forMs, sockets, posts }), meanwhile()]);
  const after = await used();
  const seconds = (performance.now() - began) / 1_000;
  const grown = await settled(outcomes, before.outcomes, sent.fixes);
  const taken = grown(TAKEN);
  const names = Object.keys(after) as (keyof typeof after)[];
  const cpu = (name: keyof typeof after) => after[name] - before.used[name];
  return {
    sent: sent.fixes,
    perSecond: (taken * 1_000) / Math.max(forMs, sent.tookMs),
    dropped: grown(BY_LOAD) + Math.max(0, sent.fixes - taken - grown(FAULTS)),
    failures: sent.failures,
    lateMs: sent.lateMs,
    nodeUs: (cpu('ingest') * 1e6) / sent.fixes,
    redisUs: (cpu('redis') * 1e6) / sent.fixes,
    cores: Object.fromEntries(names.map((name) => [name, cpu(name) / seconds])),
  };
}

/** How much outcomes have grown once everything that was sent has one. */
async function settled(
  outcomes: () => Promise<Readonly<Record<string, number>>>,
  before: Readonly<Record<string, number>>,
  sent: number,
): Promise<(names: readonly string[]) => number> {
  for (let look = 0; ; look++) {
    const after = await outcomes();
    const grown = (names: readonly string[]) =>
      names.reduce((sum, name) => sum + (after[name] ?? 0) - (before[name] ?? 0), 0);
    if (look === SETTLE_LOOKS || grown([...TAKEN, ...FAULTS]) >= sent) {
      return grown;
    }
    await new Promise((next) => setTimeout(next, LOOK_MS));
  }
}
