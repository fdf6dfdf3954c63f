import { onTestFinished } from 'vitest';
import type { GraphQLAnswer, TestApi } from '../../support/api.js';

export interface Sent {
  readonly id: string | null;
  readonly event: string;
  readonly data: GraphQLAnswer['data'];
}

export interface Opened {
  readonly response: Response;
  /** The next event; null where the response has ended. */
  next(): Promise<Sent | null>;
  leave(): void;
}

export interface Asked {
  readonly query: string;
  readonly variables?: object;
  readonly lastEventId?: string | undefined;
  readonly method?: 'GET' | 'POST';
}

/** An operation as server-sent events, as a browser's EventSource asks for it; it goes with the test. */
export async function openEvents(
  api: TestApi,
  token: string | null,
  { query, variables = {}, lastEventId, method = 'GET' }: Asked,
): Promise<Opened> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const asked = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const response = await fetch(`${api.url}/graphql${method === 'GET' ? `?${asked}` : ''}`, {
    method,
    signal: leaving.signal,
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    ...(method === 'POST' ? { body: JSON.stringify({ query, variables }) } : {}),
  });
  const events = eventsOf(response);
  return {
    response,
    next: async () => (await events.next()).value ?? null,
    leave: () => leaving.abort(),
  };
}

/** As the standard has it: blocks of fields, ended by an empty line; a line that begins with a colon says nothing. */
async function* eventsOf(response: Response): AsyncGenerator<Sent, undefined> {
  let text = '';
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(text.slice(0, end).split('\n').map(fieldOf));
      text = text.slice(end + 2);
      const event = fields.get('event');
      if (event !== undefined) {
        yield { id: fields.get('id') ?? null, event, data: JSON.parse(fields.get('data') || 'null') };
      }
    }
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
