import {
  type Attributes,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type pg from 'pg';
import { sqlState } from './sqlstate.js';

// Traces go from the HTTP request through its operation and the service it calls down to the statement. What may stand
// in an attribute is what the code says (routes, names of fields and statements, states of errors), never what callers
// or the database said: no ids, no texts, no values of statements.

/** Set where traces are exported (src/runtime/tracing-export.ts); null costs one comparison a span. */
let tracer: Tracer | null = null;

/** From now on spans are made by `made`, or none is. */
export function traceWith(made: Tracer | null): void {
  tracer = made;
}

/** Whether spans are made: what would only be prepared for them can be left out. */
export function isTracing(): boolean {
  return tracer !== null;
}

/** Runs `work` inside a span of that name, a child of the one that runs now. A failure is marked, not described. */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return tracer === null
    ? work()
    : tracer.startActiveSpan(name, { attributes }, (span) => ending(span, work));
}

/** Runs the answering of one HTTP request inside its span, under the trace that its `traceparent` names. */
export function inRequestSpan<T>(
  { method, headers }: { method: string; headers: object },
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  if (tracer === null) {
    return work(null);
  }
  const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } };
  const caller = propagation.extract(ROOT_CONTEXT, headers);
  return tracer.startActiveSpan(`HTTP ${method}`, options, caller, (span) => ending(span, () => work(span)));
}

/** Where the present span stands, for a piece of work that serves several requests at once; null without one. */
export function presentLink(): Link | null {
  const span = tracer === null ? undefined : trace.getActiveSpan();
  return span === undefined ? null : { context: span.spanContext() };
}

/** Runs work for several requests in a trace of its own that points to theirs. */
export function inBatchSpan<T>(
  name: string,
  links: readonly (Link | null)[],
  work: () => Promise<T>,
): Promise<T> {
  if (tracer === null) {
    return work();
  }
  const of = links.filter((link) => link !== null);
  const options = { links: of, attributes: { 'touchstone.batch.size': links.length } };
  return tracer.startActiveSpan(name, options, ROOT_CONTEXT, (span) => ending(span, work));
}

async function ending<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', sqlState(error) ?? (error instanceof Error ? error.name : 'unknown'));
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Makes a span of every statement of this connection that is asked for by promise, as transactions do. Statements on the
 * pool itself have their span where they are called: a pool answers them in the context of whoever gave a connection back.
 */
export function traceStatements(client: pg.PoolClient): void {
  if (tracer === null) {
    return;
  }
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const traced = (...args: unknown[]) => {
    const text = textOf(args[0]);
    if (text === null || typeof args.at(-1) === 'function' || trace.getActiveSpan() === undefined) {
      return query(...args);
    }
    return inSpan(`SQL ${verbOf(text)}`, statementAttributes(text), async () => query(...args));
  };
  client.query = traced as typeof client.query;
}

/** Null for what is no text of ours to send, such as a cursor. */
function textOf(asked: unknown): string | null {
  const text = typeof asked === 'string' ? asked : (asked as { text?: unknown } | undefined)?.text;
  return typeof text === 'string' ? text : null;
}

const TEXT_MAX = 3_000;

/** The text has parameters where values go; literals in it stand in our code. */
function statementAttributes(text: string): Attributes {
  return { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, TEXT_MAX) };
}

function verbOf(text: string): string {
  return /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? '';
}
