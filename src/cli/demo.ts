import { type Command, InvalidArgumentError } from 'commander';
import type { DemoFlags } from './demo/demo.js';

/** `touchstone demo`, which is `npm run demo` */
export function register(program: Command): void {
  program
    .command('demo')
    .description('start the server, fill a tenant with work, and let simulated experts live in it')
    .option('--experts <number>', 'how many experts', wholeFrom(1, 999), 300)
    .option('--seed <number>', 'who they are, and how they behave', wholeFrom(0, 2 ** 32 - 1), 1)
    .option('--rate <number>', 'answers a second that all of them aim at', wholeFrom(1, 200), 8)
    .option('--speed <number>', 'how fast their days go by', wholeFrom(1, 1000), 60)
    .option('--seconds <number>', 'end after so long (default: at Ctrl-C)', wholeFrom(1, 86_400))
    .option(
      '--answers <number>',
      'end with so many answers, as soon as a lease has ended too',
      wholeFrom(1, 1_000_000),
    )
    .option('--lease-seconds <number>', 'how long a task may be held', wholeFrom(1, 3600), 15)
    .option('--work <times>', 'how much work there is, 1 for about 20 minutes', positive, 1)
    .option('--lapse <share>', 'how often a task is left lying (default: as people do)', share)
    .option('--port <number>', 'port to listen on; 0 for any (default: PORT or 4000)')
    .option('--host <address>', 'address to listen on (default: HOST or 127.0.0.1)')
    .option('--no-open', 'do not open a browser')
    .option('--json', 'print the sum as one line of JSON')
    .action(async (flags: DemoFlags) => {
      const { demo } = await import('./demo/demo.js');
      await demo(flags);
    });
}

function wholeFrom(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!(Number.isInteger(value) && value >= min && value <= max)) {
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

function share(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) {
    throw new InvalidArgumentError('Give a share from 0 to 1, such as .2.');
  }
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10)) {
    throw new InvalidArgumentError('Give a number above 0, up to 10.');
  }
  return value;
}
