import { createClient, type FormattedExecutionResult } from 'graphql-ws';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { GraphQLAnswer, TestApi } from '../../support/api.js';

type Results = AsyncIterableIterator<FormattedExecutionResult<Record<string, GraphQLAnswer['data']>>>;

interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

/** A socket that goes with the test: each operation sent over it answers its results, errors among them. */
export function openSocket(api: TestApi, token: string): (operation: Operation) => Results {
  const client = createClient({
    url: `${api.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });
  onTestFinished(async () => void (await client.dispose()));
  return ({ query, variables = {} }) => client.iterate({ query, variables });
}

/** Sends an operation over a socket of its own, which goes with the test. */
export const overSocket = (api: TestApi, token: string, operation: Operation): Results =>
  openSocket(api, token)(operation);
