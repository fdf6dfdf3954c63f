import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request as it arrived. */
export interface Arrived {
  readonly token: string | undefined;
  readonly body: { readonly query: string; readonly variables: Record<string, unknown> };
}

/** What to do with one request: the raw response is there for answers that no well-behaved server gives. */
export type Step = (response: ServerResponse, arrived: Arrived) => void;

/** A real HTTP server that does what a script says, a step a request; the last step is repeated. */
export interface ScriptServer extends AsyncDisposable {
  readonly url: string;
  readonly arrived: Arrived[];
}

export async function startScriptServer(...steps: Step[]): Promise<ScriptServer> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    void receive(request).then((one) => {
      const step = steps[Math.min(arrived.length, steps.length - 1)];
      arrived.push(one);
      step?.(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    arrived,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(request: IncomingMessage): Promise<Arrived> {
  const body = await text(request);
  return {
    token: request.headers.authorization?.replace(/^Bearer /, ''),
    body: body === '' ? { query: '', variables: {} } : JSON.parse(body),
  };
}

/** Answers JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** Breaks the connection without an answer. */
export const broken: Step = (response) => void response.destroy();

/** Begins an answer and breaks off in its middle. */
export const brokenOff: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":', () => response.destroy());
};

/** Never answers. */
export const silent: Step = () => undefined;
