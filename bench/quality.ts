import { estimate, skillPrior } from '../src/services/quality/scores/estimate.js';
import { lineOf } from './claim/report.js';
import { median } from './claim/stats.js';
import { simulateBars } from './quality/bars.js';
import { readCrowdSet } from './quality/crowd-set.js';
import { measureGold } from './quality/gold-work.js';
import { goldLatencyAuc } from './quality/latency.js';
import { simulatePauses } from './quality/pausing.js';
import { playSeason } from './quality/season.js';
import { playStopping, type StoppingResult } from './quality/stopping.js';
import { watchSeason } from './quality/watching.js';

// How well quality is judged: when tasks are settled on a public set, whom a simulated fleet's gold pauses, and what the
// watch finds. Everything is decided by seeds. Prints a table, and last one line of JSON.

const SEEDS = 20;
const SEASONS = 10;
const TASKS = 4_000;
const EXPERTS = 4_000;
const POLICY = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 10, price: null } as const;

interface Row {
  readonly what: string;
  readonly value: number | null;
  readonly min?: number;
  readonly max?: number;
  readonly note?: string;
}

function say(row: Row): void {
  console.log(lineOf(row));
}

async function main(): Promise<void> {
  console.log(`${'what'.padEnd(58)} ${'measured'.padStart(10)}  bar`);
  const stopping = reportStopping();
  const pausing = reportPausing();
  const shutOut = reportBars();
  const leakFlagged = reportSeasons();
  const auc = await reportLatencies();
  console.log(JSON.stringify({ ...stopping, ...pausing, ...shutOut, leakFlagged, goldLatencyAuc: auc }));
}

/** Of claims and of submits, the curve that is farther from telling nothing. */
async function reportLatencies(): Promise<number> {
  const { claim, submit } = await measureGold();
  const aucs = await Promise.all([claim, submit].map((latencies) => goldLatencyAuc(async () => latencies)));
  const known = aucs.flatMap((auc, n) => {
    const what = `${n === 0 ? 'claims' : 'submits'} of gold told by latency: area under the curve`;
    say({ what, value: auc, min: 0.47, max: 0.53 });
    return auc ?? [];
  });
  return round(
    known.reduce((worst, auc) => (Math.abs(auc - 0.5) > Math.abs(worst - 0.5) ? auc : worst), 0.5),
  );
}

function reportStopping() {
  const set = readCrowdSet('rte');
  const note = set === null ? { note: 'rte is not there: set TOUCHSTONE_DATA' } : {};
  const runs = set === null ? [] : seeds(SEEDS).map((seed) => playStopping(set, POLICY, seed));
  const of = (name: keyof StoppingResult) =>
    runs.length === 0 ? null : round(median(runs.map((run) => run[name])));
  const figures = {
    rteAccuracy: of('accuracy'),
    rteAnswersPerItem: of('answersPerItem'),
    rteStatedGap: of('statedGap'),
  };
  const kind = `rte, stop at posterior ${POLICY.posterior}`;
  say({ what: `${kind}: accuracy`, value: figures.rteAccuracy, min: 0.9, ...note });
  say({ what: `${kind}: answers an item`, value: figures.rteAnswersPerItem, max: 3.5, ...note });
  say({ what: `${kind}: stated less actual, absolute`, value: figures.rteStatedGap, max: 0.03, ...note });
  return figures;
}

function reportPausing() {
  const bars: Record<string, { min?: number; max?: number }> = {
    '0.5': { min: 0.95 },
    '0.6': { min: 0.7 },
    '0.8': { max: 0.03 },
    '0.85': { max: 0.01 },
  };
  const shares = new Map<number, number>();
  for (const accuracy of [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]) {
    const { paused, warned, returned } = simulatePauses(accuracy, { experts: EXPERTS, seed: 1 });
    shares.set(accuracy, paused);
    say({
      what: `experts at ${accuracy.toFixed(2)}: paused within 60 gold`,
      value: paused,
      ...bars[accuracy],
      note: `warned ${percent(warned)}, a re-test returns ${percent(returned)}`,
    });
  }
  return { pausedBad: round(shares.get(0.5) ?? 0), pausedGood: round(shares.get(0.8) ?? 0) };
}

const BARS = [0.7, 0.8];
const EXPERTS_AT_A_BAR = 400;

/** Whom bars that they truly meet keep out for good. */
function reportBars() {
  const shares = BARS.flatMap((bar) =>
    [0.8, 0.85, 0.95]
      .filter((accuracy) => accuracy > bar)
      .map((accuracy) => {
        const found = simulateBars(accuracy, bar, { experts: EXPERTS_AT_A_BAR, seed: 1 });
        say({
          what: `experts at ${accuracy.toFixed(2)} shut out at the bar .${bar * 10}0, a season`,
          value: found.shutOut,
          max: 0.05,
          note: `days without work ${percent(found.daysOut)}; by the lower bound alone ${percent(found.shutOutByBound)}`,
        });
        return found;
      }),
  );
  const worst = (of: (share: (typeof shares)[number]) => number) => round(Math.max(...shares.map(of)));
  return { shutOutGood: worst(({ shutOut }) => shutOut), daysOutGood: worst(({ daysOut }) => daysOut) };
}

/** The share of the seasons in which the memoriser was found and most of the leaked gold they used was retired. */
function reportSeasons(): number {
  const seasons = seeds(SEASONS).map((seed) => {
    const season = playSeason(seed, TASKS);
    return { season, watched: watchSeason(season) };
  });
  const results = seasons.map(resultOf);
  const mean = (of: (result: SeasonResult) => number) =>
    results.reduce((sum, result) => sum + of(result), 0) / results.length;
  const isFlagged = (result: SeasonResult) => (result.found && result.retiredOfLeaked >= 0.8 ? 1 : 0);
  say({ what: 'seasons with memoriser and leaked gold flagged', value: mean(isFlagged), min: 0.95 });
  say({ what: 'leaked gold that the memoriser met, retired', value: mean((r) => r.retiredOfLeaked) });
  say({ what: 'sound gold retired with it, a season of 400', value: mean((r) => r.retiredWrongly) });
  say({ what: 'honest experts called knowers or sharers, of 40', value: mean((r) => r.accused), max: 0.4 });
  say({ what: 'ring at .78: members found by shared errors', value: mean((r) => r.ringFound) });
  say({ what: 'ring at .55: members with a lower bound of .7', value: mean((r) => r.ringRisen), max: 0 });
  return round(mean(isFlagged));
}

interface SeasonResult {
  readonly found: boolean;
  readonly retiredOfLeaked: number;
  readonly retiredWrongly: number;
  readonly accused: number;
  readonly ringFound: number;
  readonly ringRisen: number;
}

const RISEN = 0.7;

function resultOf({
  season,
  watched,
}: {
  season: ReturnType<typeof playSeason>;
  watched: ReturnType<typeof watchSeason>;
}): SeasonResult {
  const leaked = new Set(season.gold.filter(({ isLeaked }) => isLeaked).map(({ id }) => id));
  const met = season.careers
    .filter(({ expert }) => expert.behaviour === 'MEMORISER')
    .flatMap(({ gold }) => gold.map((shown) => shown.gold).filter((id) => leaked.has(id)));
  const ofRing = (ring: string) => season.careers.filter(({ expert }) => expert.ring === ring);
  const honest = season.careers.filter(({ expert }) => expert.behaviour === 'HONEST');
  const prior = skillPrior(season.careers.map(({ score }) => score));
  return {
    found: watched.knowers.has('memoriser'),
    retiredOfLeaked: met.filter((id) => watched.retired.has(id)).length / met.length,
    retiredWrongly: [...watched.retired].filter((id) => !leaked.has(id)).length,
    accused: honest.filter(({ expert: { id } }) => watched.knowers.has(id) || watched.sharers.has(id)).length,
    ringFound: share(ofRing('ring 0.78'), ({ expert }) => watched.sharers.has(expert.id)),
    ringRisen: share(ofRing('ring 0.55'), ({ score }) => estimate(score, prior).lower >= RISEN),
  };
}

function share<T>(all: readonly T[], is: (one: T) => boolean): number {
  return all.filter(is).length / all.length;
}

const seeds = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

const round = (value: number) => Math.round(value * 10_000) / 10_000;

const percent = (value: number) => `${Math.round(value * 100)} %`;

await main();
