// @once @apart: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement; what traces is one to a process
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Config } from '../../src/runtime/config.js';
import { inBatchSpan, inSpan, isTracing, presentLink } from '../../src/services/platform/tracing.js';
import { makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { useOtlpReceiver } from './support/otlp-receiver.js';

const receiver = useOtlpReceiver();
const db = useTestDb();
const api = useTestApi(db, {
  get tracing(): Config['tracing'] {
    return {
      endpoint: receiver.url,
      serviceName: 'touchstone-test',
      resourceAttributes: { region: 'here' },
      sampleRatio: 1,
    };
  },
});

/** A trace that the caller has begun. */
function begun() {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}

interface Caller {
  readonly token: string;
  readonly traceparent: string;
}

/** What the operations of this file answer. */
interface Answered {
  readonly data?: Readonly<
    Record<
      string,
      { readonly assignment?: { readonly id: string; readonly lease?: { readonly epoch: number } } } | null
    >
  > | null;
}

async function ask({ token, traceparent }: Caller, query: string, variables: object = {}): Promise<Answered> {
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', traceparent },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answered;
}

const CLAIM = `mutation { mine: claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }`;

/** The spans of a trace once all of these have come. */
async function spansOf(traceId: string, names: readonly string[]) {
  const found = () => receiver.spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => found().map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
  return found();
}

test('a request goes on the trace of its caller, down to the statement that answers it', async () => {
  const world = await makeApiWorld(api, { tasks: 1, marker: 'verysecretmarker' });
  const caller = begun();
  await ask({ ...caller, token: world.experts[0]?.token ?? '' }, CLAIM);
  const spans = await spansOf(caller.traceId, ['POST /graphql', 'mutation claimTask', 'service claim']);
  const named = (name: string) => spans.find((span) => span.name === name);
  const http = named('POST /graphql');
  const operation = named('mutation claimTask');
  const service = named('service claim');
  expect(http?.parentSpanId).toBe(caller.spanId);
  expect(operation?.parentSpanId).toBe(http?.spanId);
  expect(service?.parentSpanId).toBe(operation?.spanId);
  expect(http?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/graphql',
    'http.response.status_code': 200,
  });
  expect(http?.resource).toMatchObject({
    'service.name': 'touchstone-test',
    'deployment.environment.name': 'development',
    region: 'here',
  });
});

test('a query shows its transactions and each statement in them', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const caller = begun();
  await ask({ ...caller, token: world.customer }, '{ projects(first: 3) { edges { node { name } } } }');
  const spans = await spansOf(caller.traceId, ['query projects', 'transaction', 'SQL select']);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const select = spans.find(({ attributes }) =>
    /from "?public"?\."?projects"?/i.test(String(attributes['db.query.text'])),
  );
  const path = [];
  for (let span = select; span !== undefined; span = byId.get(span.parentSpanId)) {
    path.unshift(span.name);
  }
  expect(path).toEqual(['POST /graphql', 'query projects', 'transaction', 'SQL select']);
});

test('neither ids nor texts of anybody are in what is sent', async () => {
  const { experts, customer, projectId, slug } = await makeApiWorld(api, {
    tasks: 1,
    marker: 'verysecretmarker',
  });
  const caller = begun();
  const { data } = await ask({ ...caller, token: experts[0]?.token ?? '' }, CLAIM);
  const query = 'query Verysecretname($id: ID!) { node(id: $id) { id } }';
  await ask({ ...caller, token: customer }, query, { id: projectId });
  const id = data?.mine?.assignment?.id ?? '';
  await api.call(experts[0]?.token ?? '', `POST /v1/assignments/${id}/release`, { leaseEpoch: 1 });
  await spansOf(caller.traceId, ['mutation claimTask', 'query node']);
  await expect.poll(() => receiver.text).toContain('/v1/assignments/:id/release');
  for (const secret of [/verysecret/i, slug, projectId, id, experts[0]?.id ?? '', 'Is 0 even']) {
    expect(receiver.text).not.toMatch(secret);
  }
});

test('work for several requests is a trace of its own that points to theirs', async () => {
  expect(isTracing()).toBe(true);
  const links = await Promise.all(['one', 'two'].map((name) => inSpan(name, {}, async () => presentLink())));
  await inBatchSpan('batch of two', links, async () => undefined);
  const batch = () => receiver.spans.find(({ name }) => name === 'batch of two');
  await expect
    .poll(batch)
    .toMatchObject({ parentSpanId: '', links: links.map((link) => link?.context.traceId) });
});
