import { type DocumentNode, getOperationAST, parse } from 'graphql';
import { TOKENS_MAX } from '../schema/limits.js';
import { readText } from './body.js';
import type { Exchange } from './exchange.js';
import { badRequest, HttpProblem } from './problem.js';

/** What is asked of an event stream. */
export interface Asked {
  readonly query: string;
  readonly variables: Record<string, unknown> | null;
  readonly operationName: string | null;
  /** Where the client's EventSource was; it knows later ones than the URL that it opens again. */
  readonly lastEventId: string | null;
}

const JSON_TYPES = ['application/json', 'application/graphql-response+json'];

/**
 * Whether an answer as server-sent events is what the client would rather have: clients that take either name both, and
 * expect JSON for what has one answer.
 */
export function prefersEventStream({ req }: Pick<Exchange, 'req'>): boolean {
  const accepted = (req.headers.accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
  const [best] = accepted
    .filter(({ type, quality }) => quality > 0 && ['text/event-stream', ...JSON_TYPES].includes(type))
    .sort((a, b) => b.quality - a.quality);
  return best?.type === 'text/event-stream';
}

/** Reads the operation. @throws HttpProblem where there is none, or none that may come this way */
export async function operationOf(exchange: Exchange): Promise<Asked> {
  const { req } = exchange;
  const given = req.method === 'POST' ? await inBody(exchange) : inUrl(exchange);
  const { query, variables = null, operationName = null } = (given ?? {}) as Record<string, unknown>;
  if (typeof query !== 'string') {
    throw badRequest('Send the operation as "query", a text.');
  }
  if (typeof variables !== 'object' || Array.isArray(variables)) {
    throw badRequest('"variables" is an object, or is left out.');
  }
  if (operationName !== null && typeof operationName !== 'string') {
    throw badRequest('"operationName" is a text, or is left out.');
  }
  if (req.method !== 'POST' && isMutation(query, operationName)) {
    throw new HttpProblem(405, 'METHOD_NOT_ALLOWED', {
      message: 'A mutation is sent by POST.',
      headers: { Allow: 'POST' },
    });
  }
  const last = req.headers['last-event-id'];
  const lastEventId = typeof last === 'string' && last !== '' ? last : null;
  return { query, variables: variables as Record<string, unknown> | null, operationName, lastEventId };
}

async function inBody({ req }: Exchange): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '')) {
    throw new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the operation as application/json.');
  }
  return parseJson(await readText(req), 'body');
}

const inUrl = ({ url }: Exchange): unknown => ({
  query: url.searchParams.get('query') ?? undefined,
  operationName: url.searchParams.get('operationName'),
  variables: parseJson(url.searchParams.get('variables') ?? 'null', 'parameter "variables"'),
});

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badRequest(`The ${what} is not valid JSON.`);
  }
}

/** What cannot be parsed is no mutation: what is wrong with it is told in the stream. */
function isMutation(query: string, operationName: string | null): boolean {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: TOKENS_MAX, noLocation: true });
  } catch {
    return false;
  }
  return getOperationAST(document, operationName)?.operation === 'mutation';
}
