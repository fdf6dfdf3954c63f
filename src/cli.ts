import { Command } from 'commander';
import { StartupError } from './runtime/startup-error.js';
import { DomainError } from './services/platform/errors.js';

/** What a file of src/cli/ exports. Heavy imports belong inside the action: `--help` and start-up stay fast. */
interface CommandModule {
  register(program: Command): void;
}

/** One line a command; only the file of the command that is called is loaded. */
const COMMANDS: Record<string, () => Promise<CommandModule>> = {
  serve: () => import('./cli/serve.js'),
  ingest: () => import('./cli/ingest.js'),
  migrate: () => import('./cli/migrate.js'),
  verify: () => import('./cli/verify.js'),
  import: () => import('./cli/import.js'),
  replay: () => import('./cli/replay.js'),
  export: () => import('./cli/export.js'),
  infer: () => import('./cli/infer.js'),
  backtest: () => import('./cli/backtest.js'),
  refold: () => import('./cli/refold.js'),
  token: () => import('./cli/token.js'),
  demo: () => import('./cli/demo.js'),
};

/** Runs the command line. Sets the exit code: 1 for what stands in the way and for what a command found wrong. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('touchstone').description('Routes work to experts and proves what comes back.');
  const called = COMMANDS[argv[2] ?? ''];
  const modules = called === undefined ? Object.values(COMMANDS) : [called];
  for (const load of modules) {
    (await load()).register(program);
  }
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = 1;
    report(error);
  }
}

/** One line for what the user can do something about; a stack trace for what is a bug. */
function report(error: unknown): void {
  process.stderr.write(`touchstone: ${describe(error)}\n`);
}

function describe(error: unknown): string {
  if (error instanceof StartupError) {
    return `${error.message} ${error.hint}`;
  }
  if (error instanceof DomainError) {
    return error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
