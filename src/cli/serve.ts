import type { Command } from 'commander';
import { acquireDatabase, prepareSchema } from '../runtime/acquire-database.js';
import { type Config, loadConfig, requireServable } from '../runtime/config.js';
import { onInterruption } from './interruption.js';

interface ServeFlags {
  readonly port?: string;
  readonly host?: string;
  readonly empty?: boolean;
}

/** `touchstone serve`, which is `npm start` */
export function register(program: Command): void {
  program
    .command('serve')
    .description(
      'start the database (unless DATABASE_URL is set), the API and everything that runs by itself',
    )
    .option('--port <number>', 'port to listen on; 0 for any (default: PORT or 4000)')
    .option('--host <address>', 'address to listen on (default: HOST or 127.0.0.1)')
    .option('--empty', 'do not seed the demo tenant')
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const config = loadConfig({ PORT: flags.port, HOST: flags.host });
  requireServable(config);
  // Listened for from the start, so that Ctrl-C while the database comes up stops it as well.
  const interrupted = new Promise(onInterruption);
  const acquired = await acquireDatabase(config);
  try {
    await prepareSchema(acquired);
    await run(config, { databaseUrl: acquired.url, seed: flags.empty !== true, interrupted });
  } finally {
    await acquired.release();
  }
}

interface Run {
  readonly databaseUrl: string;
  /** Whether the demo tenant is filled; never in production. */
  readonly seed: boolean;
  readonly interrupted: Promise<unknown>;
}

async function run(config: Config, { databaseUrl, seed, interrupted }: Run): Promise<void> {
  // Loaded only now: a database that is not ready is said without waiting for the API's code.
  const [{ startServer }, { createLogger }, { removeRunFile, writeRunFile }, { createWebBundle }] =
    await Promise.all([
      import('../server.js'),
      import('../services/platform/logger.js'),
      import('../runtime/run-file.js'),
      import('../runtime/web-bundle.js'),
    ]);
  const log = createLogger(config.logLevel);
  const web = createWebBundle(log, { tellsWhy: config.mode === 'development' });
  const server = await startServer({ config, databaseUrl, log, web });
  try {
    const isDevelopment = config.jwt === undefined;
    if (seed && isDevelopment) {
      const { seedDemo } = await import('../runtime/seed.js');
      await seedDemo(server.app);
    }
    await writeRunFile(config.dataDir, server.url);
    say(urlLines(server.app.publicUrl, config));
    if (seed && isDevelopment) {
      say(await tokenLines(config.dataDir));
    }
    say(['Ctrl-C stops it.']);
    void web.prepare();
    await interrupted;
    say(['', 'Finishing what has begun …']);
  } finally {
    web.close();
    removeRunFile(config.dataDir);
    await server.close();
  }
}

function urlLines(url: string, { mode }: Config): string[] {
  const page = mode === 'production' ? '' : '  (GraphiQL in a browser)';
  return [
    'Touchstone is ready.',
    '',
    `  web app    ${url}/`,
    `  GraphQL    ${url}/graphql${page}`,
    `  health     ${url}/healthz`,
    `  readiness  ${url}/readyz`,
    `  metrics    ${url}/metrics`,
    '',
  ];
}

async function tokenLines(dataDir: string): Promise<string[]> {
  const [{ demoTokens }, { loadDevelopmentKey }] = await Promise.all([
    import('../runtime/demo/people.js'),
    import('../services/access/development-key.js'),
  ]);
  const tokens = await demoTokens(await loadDevelopmentKey(dataDir));
  return [
    'Tokens of the demo tenant, for development only. Send one as "Authorization: Bearer <token>":',
    '',
    ...tokens.map(({ role, token }) => `  ${role.padEnd(10)} ${token}`),
    '',
  ];
}

function say(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
