/** One measured thing and its bar. */
export interface Figure {
  /** Its name in the last line; absent: only in the table. Of several with one name the worst stands in the line. */
  readonly name?: keyof typeof NAMES;
  readonly what: string;
  /** Null: not run here, and the note says why. */
  readonly value: number | null;
  readonly min?: number;
  readonly max?: number;
  readonly note?: string;
}

/** The figures of the last line in their order, and which end of their range is the bad one. */
const NAMES = {
  buffers1: 'high',
  buffers4: 'high',
  buffers12: 'high',
  buffersFlatness: 'high',
  deadRowsRatio: 'high',
  cycleInProcessVsSql: 'low',
  claimVsGraphileWorker: 'low',
  cpuVsSql: 'high',
  cycleHttpVsSql: 'low',
  p99Ms64: 'high',
  p99Ms2000: 'high',
  p99Ms2000Http: 'high',
  hotVsSpread: 'low',
  leaseStormRatio: 'high',
  nodeRssMb: 'high',
  fairnessMaxError: 'high',
  rareSkillWaitRatio: 'high',
} as const;

export function lineOf(figure: Figure): string {
  const value = figure.value === null ? 'not run' : round(figure.value);
  return [
    `${figure.what.padEnd(58)} ${String(value).padStart(10)}`,
    barOf(figure).padEnd(10),
    verdict(figure).padEnd(6),
    figure.note ?? '',
  ]
    .join('  ')
    .trimEnd();
}

export function printTable(figures: readonly Figure[]): void {
  console.log(`\n${'what'.padEnd(58)} ${'measured'.padStart(10)}  bar`);
  for (const figure of figures) {
    console.log(lineOf(figure));
  }
  console.log(JSON.stringify(lastLine(figures)));
}

function lastLine(figures: readonly Figure[]): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(NAMES).map(([name, bad]) => {
      const values = figures
        .filter((figure) => figure.name === name)
        .flatMap(({ value }) => (value === null ? [] : [value]));
      const worst = bad === 'high' ? Math.max(...values) : Math.min(...values);
      return [name, values.length === 0 ? null : round(worst)];
    }),
  );
}

function barOf({ min, max }: Figure): string {
  if (min !== undefined && max !== undefined) {
    return `${min}–${max}`;
  }
  if (min !== undefined) {
    return `≥ ${min}`;
  }
  return max === undefined ? '' : `≤ ${max}`;
}

function verdict({ value, min, max }: Figure): string {
  if (value === null || (min === undefined && max === undefined)) {
    return '';
  }
  return value >= (min ?? -Infinity) && value <= (max ?? Infinity) ? 'ok' : 'MISSED';
}

function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 1000) / 1000;
}
