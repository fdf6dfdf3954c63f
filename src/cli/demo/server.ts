import { acquireDatabase, prepareSchema } from '../../runtime/acquire-database.js';
import { type Config, loadConfig, requireServable } from '../../runtime/config.js';
import { removeRunFile, runningServer, writeRunFile } from '../../runtime/run-file.js';
import { StartupError } from '../../runtime/startup-error.js';
import { DEVELOPMENT_ISSUER } from '../../services/access/development-key.js';
import { type Database, openDatabase } from '../../services/platform/database.js';

/** Where a demo lives. */
export interface DemoServer {
  readonly config: Config;
  /** Without a trailing slash. */
  readonly url: string;
  /** For making the tenant; those who live in it use the API. */
  readonly db: Database;
}

/** The server that runs beside us on the same data, or one of our own, for as long as `work` takes. */
export async function withDemoServer(
  flags: { readonly port?: string; readonly host?: string },
  work: (server: DemoServer) => Promise<void>,
): Promise<void> {
  const config = loadConfig({ PORT: flags.port, HOST: flags.host });
  requireServable(config);
  if (config.jwt !== undefined || config.mode === 'production') {
    throw new StartupError(
      'The demo signs its own tokens, and this server takes only those of an identity provider.',
      'Unset JWKS_URL and TOUCHSTONE_MODE for a demo.',
    );
  }
  const acquired = await acquireDatabase(config);
  try {
    await prepareSchema(acquired);
    const db = openDatabase({ url: acquired.url });
    try {
      await serving(config, acquired.url, (url) => work({ config, url, db }));
    } finally {
      await db.close();
    }
  } finally {
    await acquired.release();
  }
}

/** What the server of a demo signs and takes. */
export const DEMO_ISSUER = DEVELOPMENT_ISSUER;

async function serving(
  config: Config,
  databaseUrl: string,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const running = await runningServer(config.dataDir);
  if (running !== null) {
    return work(running.url);
  }
  const { startServer } = await import('../../server.js');
  const { createLogger } = await import('../../services/platform/logger.js');
  const { createWebBundle } = await import('../../runtime/web-bundle.js');
  const log = createLogger('warn');
  const web = createWebBundle(log, { tellsWhy: true });
  const server = await startServer({ config, databaseUrl, log, web });
  try {
    void web.prepare();
    await writeRunFile(config.dataDir, server.url);
    await work(server.app.publicUrl);
  } finally {
    web.close();
    removeRunFile(config.dataDir);
    await server.close();
  }
}
