import { acquireDatabase, prepareSchema } from '../../runtime/acquire-database.js';
import { loadConfig } from '../../runtime/config.js';
import { runningServer } from '../../runtime/run-file.js';

/** A server to replay against. */
export interface ReplayServer {
  /** Its GraphQL endpoint. */
  readonly url: string;
  /** Stops it if it was started for this. */
  release(): Promise<void>;
}

/** The server that was named, else the one that runs beside us, else one of our own for as long as it is needed. */
export async function findServer(named: string | undefined): Promise<ReplayServer> {
  const base = named ?? (await runningServer(loadConfig().dataDir))?.url ?? null;
  return base === null
    ? startOwn()
    : { url: `${base.replace(/\/+$/, '')}/graphql`, release: async () => undefined };
}

async function startOwn(): Promise<ReplayServer> {
  const { startServer } = await import('../../server.js');
  const { createLogger } = await import('../../services/platform/logger.js');
  const config = loadConfig({ HOST: '127.0.0.1', PORT: '0' });
  const acquired = await acquireDatabase(config);
  try {
    await prepareSchema(acquired);
    const log = createLogger('warn');
    const server = await startServer({ config, databaseUrl: acquired.url, log });
    return {
      url: `${server.url}/graphql`,
      async release() {
        await server.close();
        await acquired.release();
      },
    };
  } catch (error) {
    await acquired.release();
    throw error;
  }
}
