import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Config, loadConfig } from '../../src/runtime/config.js';
import { type RunningServer, startServer } from '../../src/server.js';
import {
  DEVELOPMENT_ISSUER,
  type DevelopmentKey,
  loadDevelopmentKey,
  mintDevelopmentToken,
} from '../../src/services/access/development-key.js';
import type { Role } from '../../src/services/access/viewer.js';
import { createLogger } from '../../src/services/platform/logger.js';
import type { TestDb } from './db.js';

/** What a GraphQL answer holds. */
export interface GraphQLAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers that they have asked for themselves
  readonly data: any;
  readonly errors: readonly { message: string; path?: unknown; extensions?: Record<string, unknown> }[];
}

/** Who a test speaks as. */
export interface Speaker {
  readonly subject: string;
  readonly tenantSlug: string;
  readonly role: Role;
}

export type Target = `${'GET' | 'POST'} /${string}`;

/** A running server of a test file's own, on a database of its own; exists from `beforeAll` to `afterAll`. */
export interface TestApi {
  readonly server: RunningServer;
  readonly url: string;
  readonly dataDir: string;
  readonly key: DevelopmentKey;
  /** An access token that the server accepts. */
  token(speaker: Speaker): Promise<string>;
  /** Sends an operation. Fails on top-level errors unless they are asked for. */
  graphql(token: string, query: string, variables?: object): Promise<GraphQLAnswer>;
  /** The same, where errors are what is looked at. */
  attempt(token: string, query: string, variables?: object): Promise<GraphQLAnswer>;
  /** A plain HTTP call with a JSON body. */
  call(token: string | null, target: Target, body?: unknown): Promise<Response>;
  /** The same with a body that is JSON already, or is not. */
  send(token: string | null, target: Target, text: string | Uint8Array): Promise<Response>;
}

export const ISSUER = DEVELOPMENT_ISSUER;

/** Starts the API on the database of `useTestDb` (call that first). */
export function useTestApi(db: TestDb, overrides: Partial<Config> = {}): TestApi {
  let opened: { server: RunningServer; key: DevelopmentKey; dataDir: string } | undefined;
  const open = () => {
    if (opened === undefined) {
      throw new Error('The test server exists only while tests and hooks of this file run.');
    }
    return opened;
  };
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-api-'));
    // Tests ask as analysts all the time; test/platform/analyst-pace.test.ts looks at the rests between queries.
    const defaults = loadConfig({}, { TOUCHSTONE_DATA_DIR: dataDir, PORT: '0', ANALYST_TIME_SHARE: '1' });
    const config = { ...defaults, ...overrides };
    const server = await startServer({
      config,
      databaseUrl: db.url,
      log: createLogger(process.env.TEST_LOG_LEVEL ?? 'silent'),
    });
    opened = { server, dataDir, key: await loadDevelopmentKey(dataDir) };
  });
  afterAll(async () => {
    await opened?.server.close();
    await rm(open().dataDir, { recursive: true, force: true });
  });
  return {
    get server() {
      return open().server;
    },
    get url() {
      return open().server.url;
    },
    get dataDir() {
      return open().dataDir;
    },
    get key() {
      return open().key;
    },
    token: (speaker) => mintDevelopmentToken(open().key, speaker),
    async graphql(token, query, variables) {
      const answer = await this.attempt(token, query, variables);
      if (answer.errors.length > 0) {
        throw new Error(`Unexpected errors: ${JSON.stringify(answer.errors, null, 2)}`);
      }
      return answer;
    },
    async attempt(token, query, variables = {}) {
      const response = await this.call(token, 'POST /graphql', { query, variables });
      const { data, errors } = (await response.json()) as Partial<GraphQLAnswer>;
      return { status: response.status, data, errors: errors ?? [] };
    },
    call(token, target, body) {
      return body === undefined
        ? request(open().server.url, target, { headers: bearer(token) })
        : this.send(token, target, JSON.stringify(body));
    },
    send: (token, target, text) =>
      request(open().server.url, target, {
        headers: { ...bearer(token), 'Content-Type': 'application/json' },
        body: text as string,
      }),
  };
}

function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

function request(url: string, target: Target, init: RequestInit): Promise<Response> {
  const [method = '', path = ''] = target.split(' ');
  return fetch(`${url}${path}`, { ...init, method });
}
