import { parseArgs } from 'node:util';
import { type Machine, startMachine } from './claim/machine.js';
import { measureFairness } from './dispatch/fairness.js';
import { measureField } from './dispatch/field.js';
import { measureLease } from './dispatch/lease.js';
import { Report } from './dispatch/report.js';

// Dispatch: fixes of a crowd and decisions beside them, the lease statement, and what fairness costs; docs/benchmarks.md says how to
// read it. Prints a line for each figure with its bar, the table at the end, and last one line of JSON.

const PARTS = ['fixes', 'decisions', 'lease', 'fairness'] as const;
/** Whatever happens. */
const LIMIT_MS = 20 * 60_000;

async function main(): Promise<void> {
  const options = readArguments();
  if (options === null) {
    console.error(`Usage: npm run bench -- dispatch [--only <part>[,<part>]] [--workers <count>] [--seconds <count>] [--attempts <count>] [--jobs <count>]
Parts: ${PARTS.join(', ')} (decisions run beside fixes)`);
    process.exitCode = 1;
    return;
  }
  const machine = await startMachine();
  endInAnyCase(machine);
  const report = new Report();
  try {
    await measure(machine, options, report);
  } finally {
    await machine.stop();
  }
  report.print();
}

type Options = NonNullable<ReturnType<typeof readArguments>>;

async function measure(machine: Machine, { isAsked, ...sizes }: Options, report: Report): Promise<void> {
  if (isAsked('fixes') || isAsked('decisions')) {
    const { workers, seconds } = sizes;
    await measureField(machine, { workers, seconds, decisions: isAsked('decisions') }, report);
  }
  if (isAsked('lease')) {
    await measureLease(machine, sizes.attempts, report);
  }
  if (isAsked('fairness')) {
    await measureFairness(machine, sizes.jobs, report);
  }
}

/** Null where something is not an argument. */
function readArguments() {
  try {
    const number = { type: 'string' } as const;
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        workers: number,
        seconds: number,
        attempts: number,
        jobs: number,
      },
    });
    const only = values.only?.flatMap((names) => names.split(',')) ?? PARTS;
    const sizes = {
      workers: Number(values.workers ?? 50_000),
      seconds: Number(values.seconds ?? 60),
      attempts: Number(values.attempts ?? 50_000),
      jobs: Number(values.jobs ?? 300),
    };
    if (
      only.some((part) => !(PARTS as readonly string[]).includes(part)) ||
      Object.values(sizes).some((size) => !(size > 0))
    ) {
      return null;
    }
    return { ...sizes, isAsked: (part: (typeof PARTS)[number]) => only.includes(part) };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return null;
  }
}

function endInAnyCase(machine: Machine): void {
  const end = (why: unknown) => {
    console.error(why);
    void machine.stop().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => end(`Ended by ${signal}.`));
  }
  process.once('uncaughtException', end);
  setTimeout(() => end('This takes too long.'), LIMIT_MS).unref();
}

await main();
