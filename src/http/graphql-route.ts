import { type Context, createContext } from '../context.js';
import { authenticated } from './authenticated.js';
import { readText } from './body.js';
import { clientSignal } from './client-signal.js';
import { prefersEventStream } from './event-stream-request.js';
import type { Exchange } from './exchange.js';
import { sendGraphiQL } from './graphiql/page.js';
import { badRequest, HttpProblem } from './problem.js';
import { problemOf } from './refusals.js';

/** An operation over HTTP is given up after this time; its statements end with it or soon after. */
const OPERATION_MS = 25_000;
const RELAYED_HEADERS = ['accept', 'content-type', 'x-graphql-yoga-csrf', 'authorization'] as const;

/** GraphQL over HTTP, and in development the GraphiQL page. */
export async function handleGraphQL(exchange: Exchange): Promise<void> {
  const { req, res, app } = exchange;
  try {
    if (wantsPage(exchange)) {
      sendGraphiQL(exchange);
      return;
    }
    if (prefersEventStream(exchange)) {
      await exchange.parts.eventStreams.handle(exchange);
      return;
    }
    const viewer = await authenticated(exchange);
    requireJsonIn(exchange, ['variables', 'extensions']);
    const hasBody = req.method !== 'GET' && req.method !== 'HEAD';
    const body = hasBody ? await readText(req) : null;
    const signal = clientSignal(res, OPERATION_MS);
    const context = createContext(app, viewer, { signal });
    await sendResponse(exchange, await run(exchange, { body, context, signal }));
  } catch (error) {
    const problem = problemOf(error, app.ids);
    if (problem === null || res.headersSent) {
      throw error;
    }
    sendAsGraphQL(exchange, problem);
  }
}

/** Yoga takes what it cannot parse here for a fault of its own. */
function requireJsonIn({ url }: Exchange, names: readonly string[]): void {
  for (const name of names) {
    try {
      JSON.parse(url.searchParams.get(name) ?? 'null');
    } catch {
      throw badRequest(`The parameter "${name}" is not valid JSON.`);
    }
  }
}

interface Operation {
  readonly body: string | null;
  readonly context: Context;
  readonly signal: AbortSignal;
}

/** Runs one operation; it ends with the client's connection or after its time. */
async function run({ req, url, parts }: Exchange, { body, context, signal }: Operation): Promise<Response> {
  const headers = RELAYED_HEADERS.flatMap((name) => {
    const value = req.headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  const answer = parts.graphql.fetch(
    url.href,
    { method: req.method ?? 'GET', headers, signal, ...(body === null ? {} : { body }) },
    context,
  );
  return Promise.race([answer, givenUp(signal)]);
}

function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new HttpProblem(503, 'TIMEOUT', 'This took too long and was given up.'));
    });
  });
}

async function sendResponse({ res }: Exchange, response: Response): Promise<void> {
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  response.headers.forEach((value, name) => {
    headers[name] = value;
  });
  // Subscriptions are not answered over HTTP, so that no answer has parts that come later.
  const text = await response.text();
  res.writeHead(response.status, headers);
  res.end(text);
}

/** What went wrong before there was an operation, in GraphQL's own form. */
function sendAsGraphQL({ req, res }: Exchange, { status, code, message, headers }: HttpProblem): void {
  const wantsGraphQL = (req.headers.accept ?? '').includes('application/graphql-response+json');
  const type = wantsGraphQL ? 'application/graphql-response+json' : 'application/json';
  res.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-store',
    ...headers,
  });
  res.end(JSON.stringify({ errors: [{ message, extensions: { code } }] }));
}

function wantsPage({ req, url, app }: Exchange): boolean {
  return (
    !app.production &&
    req.method === 'GET' &&
    !url.searchParams.has('query') &&
    (req.headers.accept ?? '').includes('text/html')
  );
}
