import { quantileOf, type Tally } from './tally.js';

/** What a demo came to. */
export interface DemoSum {
  readonly seconds: number;
  readonly experts: number;
  readonly seed: number;
  readonly claims: number;
  readonly submits: number;
  /** Results of gold and adjudications that the server has of these experts, from earlier starts too. */
  readonly results: number;
  /** In minor units, by currency. */
  readonly paid: Readonly<Record<string, string>>;
  readonly expiries: number;
  readonly released: number;
  readonly flagged: number;
  readonly lapses: number;
  readonly lost: number;
  readonly pauses: number;
  readonly uploads: number;
  readonly errors: Readonly<Record<string, number>>;
  /** Milliseconds, of each operation. */
  readonly latencies: Readonly<Record<string, { count: number; p50: number; p99: number }>>;
}

/** Everything that was counted. */
export function sumOf(
  tally: Tally,
  run: { seconds: number; experts: number; seed: number; results: number },
): DemoSum {
  const { claims, submits, released, flagged, lapses, lost, expiries, pauses, uploads } = tally;
  const latencies = [...tally.latencies].map(([name, of]) => {
    const [p50, p99] = [quantileOf(of, 0.5) ?? 0, quantileOf(of, 0.99) ?? 0];
    return [name, { count: of.count, p50: tenths(p50), p99: tenths(p99) }] as const;
  });
  return {
    ...run,
    seconds: tenths(run.seconds),
    ...{ claims, submits, released, flagged, lapses, lost, expiries, pauses, uploads },
    paid: Object.fromEntries([...tally.paid].map(([currency, minor]) => [currency, minor.toString()])),
    errors: Object.fromEntries(tally.errors),
    latencies: Object.fromEntries(latencies),
  };
}

const tenths = (value: number) => Math.round(value * 10) / 10;

/** One line of what goes on. */
export function lineOf(tally: Tally, seconds: number): string {
  const minutes = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
  const parts = [
    `${tally.atDesk} at their desks`,
    `${tally.claims} claims`,
    `${tally.submits} submits`,
    `paid ${paidOf(tally)}`,
    `${tally.expiries} expired`,
    `${errorsOf(tally)} errors`,
  ];
  return `${minutes.padStart(6)}  ${parts.join(', ')}`;
}

/** The sum, for people. */
export function textOf(sum: DemoSum, tally: Tally): string[] {
  const errors = Object.entries(sum.errors).map(([code, count]) => {
    const said = tally.said.get(code);
    return `${code} ${count}${said === undefined ? '' : ` (${said})`}`;
  });
  return [
    '',
    `${sum.experts} experts (seed ${sum.seed}), ${sum.seconds} s`,
    `  claims     ${sum.claims}, of them ${sum.lapses} left lying, ${sum.released} given back, ${sum.flagged} flagged`,
    `  submits    ${sum.submits}`,
    `  results    ${sum.results} of gold and adjudications, ${sum.pauses} pauses`,
    `  paid       ${paidOf(tally)}`,
    `  expiries   ${sum.expiries}, ${sum.lost} assignments were somebody else’s on return`,
    `  uploads    ${sum.uploads}`,
    `  errors     ${errors.length === 0 ? 'none' : errors.join(', ')}`,
    ...Object.entries(sum.latencies).map(
      ([name, { count, p50, p99 }]) =>
        `  ${name.padEnd(18)} ${String(count).padStart(7)} calls, p50 ${p50} ms, p99 ${p99} ms`,
    ),
  ];
}

function paidOf({ paid }: Tally): string {
  const amounts = [...paid].map(([currency, minor]) => `${(Number(minor) / 100).toFixed(2)} ${currency}`);
  return amounts.join(' + ') || 'nothing yet';
}

const errorsOf = ({ errors }: Tally) => [...errors.values()].reduce((sum, count) => sum + count, 0);
