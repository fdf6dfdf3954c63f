import { createClient, type FormattedExecutionResult } from 'graphql-ws';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { GraphQLAnswer, TestApi } from '../../support/api.js';

type Results = AsyncIterableIterator<FormattedExecutionResult<Record<string, GraphQLAnswer['data']>>>;

/** Sends an operation over a socket of its own, which goes with the test. Its results, errors among them. */
export function overSocket(
  api: TestApi,
  token: string,
  { query, variables = {} }: { query: string; variables?: Record<string, unknown> },
): Results {
  const client = createClient({
    url: `${api.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });
  onTestFinished(async () => void (await client.dispose()));
  return client.iterate({ query, variables });
}
