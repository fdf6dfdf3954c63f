import { type Figure, lineOf } from '../claim/report.js';

/** The figures of the last line, in their order; null: not run. */
const NAMES = [
  'fixesPerSecond',
  'droppedByLoad',
  'decisionP99Ms',
  'decisionP99MsSlowRouter',
  'decision100P99Ms',
  'redisUsPerFix',
  'nodeUsPerFix',
  'leaseVsSql',
  'orphans',
] as const;

/** One measured thing; with a name it stands in the last line. */
export type Row = Omit<Figure, 'name'> & { readonly name?: (typeof NAMES)[number] };

/** What a run has found. */
export class Report {
  readonly #rows: Row[] = [];

  /** Prints it and keeps it. */
  say(row: Row): void {
    this.#rows.push(row);
    console.log(lineOf(figureOf(row)));
  }

  /** The whole table, a line for each bar that nothing was measured against, and the one line of JSON. */
  print(): void {
    console.log(`\n${'what'.padEnd(58)} ${'measured'.padStart(10)}  bar`);
    for (const row of this.#rows) {
      console.log(lineOf(figureOf(row)));
    }
    const measured = (name: (typeof NAMES)[number]) =>
      this.#rows.find((row) => row.name === name)?.value ?? null;
    for (const name of NAMES.filter((one) => measured(one) === null)) {
      console.log(`${name.padEnd(58)} ${'not run'.padStart(10)}`);
    }
    console.log(
      JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, rounded(name, measured(name))]))),
    );
  }
}

/** For a line of the table names do not count. */
const figureOf = ({ name: _name, ...rest }: Row): Figure => rest;

const rounded = (name: string, value: number | null): number | null =>
  value === null ? null : name === 'leaseVsSql' ? Math.round(value * 100) / 100 : Math.round(value * 10) / 10;
