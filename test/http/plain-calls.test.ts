// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { until } from '../api/support/until.js';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

const db = useTestDb();
const api = useTestApi(db);

const expertOf = (world: ApiWorld) => world.experts[0]?.token ?? '';

async function next(world: ApiWorld) {
  const response = await api.call(expertOf(world), 'POST /v1/tasks/next');
  expect(response.status).toBe(200);
  return response.json();
}

/** What a problem says; every one has the form of RFC 9457 with a code and a message. */
async function problem(response: Response) {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const body = await response.json();
  expect(body).toMatchObject({
    status: response.status,
    code: expect.any(String),
    message: expect.any(String),
  });
  return body;
}

test('the next task is 200, and again the same one; none is 204 with when to ask again', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const held = await next(world);
  expect(held).toMatchObject({
    task: { externalId: 'item-1-plain', contentType: 'application/json' },
    lease: { epoch: 1, leaseSeconds: 1800 },
    price: { minorUnits: '125', currency: 'EUR' },
    routing: { reason: 'NEXT', explanation: expect.stringContaining('among the next') },
  });
  expect((await next(world)).assignmentId).toBe(held.assignmentId);
  const empty = await makeApiWorld(api, { tasks: 0 });
  const none = await api.call(expertOf(empty), 'POST /v1/tasks/next', { skillId: empty.skillId });
  expect(none.status).toBe(204);
  expect(Number(none.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(none.headers.get('x-empty-reason')).toBe('NO_OPEN_TASK');
});

test('a heartbeat is 200 with the lease, and 409 once it has ended or is another one', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const { assignmentId } = await next(world);
  const path = `/v1/assignments/${assignmentId}/heartbeat` as const;
  const beat = { leaseEpoch: 1, lastActivitySeconds: 3, draft: { choice: 'no' } };
  const alive = await api.call(expertOf(world), `POST ${path}`, beat);
  expect(alive.status).toBe(200);
  expect(await alive.json()).toMatchObject({ lease: { epoch: 1 }, extended: true });
  const stale = await api.call(expertOf(world), `POST ${path}`, { ...beat, leaseEpoch: 9 });
  expect(stale.status).toBe(409);
  expect(await problem(stale)).toMatchObject({ code: 'STALE_LEASE', currentEpoch: 1 });
  await db.advance(1_801);
  const ended = await api.call(expertOf(world), `POST ${path}`, beat);
  expect(ended.status).toBe(409);
  expect(await problem(ended)).toMatchObject({ code: 'LEASE_EXPIRED', reclaimable: true });
  const back = await api.call(expertOf(world), `POST /v1/assignments/${assignmentId}/reclaim`);
  expect(back.status).toBe(200);
  expect(await back.json()).toMatchObject({ lease: { epoch: 2 }, draft: { body: { choice: 'no' } } });
});

test('a submit is 200 with one receipt for ever, 422 for what does not fit, 409 for another answer', async () => {
  const world = await makeApiWorld(api, { tasks: 2 });
  const { assignmentId } = await next(world);
  const path = `/v1/assignments/${assignmentId}/submit` as const;
  const wrong = await api.call(expertOf(world), `POST ${path}`, { leaseEpoch: 1, answer: { choice: 'x' } });
  expect(wrong.status).toBe(422);
  expect(await problem(wrong)).toMatchObject({ code: 'ANSWER_INVALID', issues: [{ path: '/choice' }] });
  const answer = { leaseEpoch: 1, answer: { choice: 'yes' }, confidence: 0.9, claimNext: true };
  const first = await (await api.call(expertOf(world), `POST ${path}`, answer)).json();
  expect(first).toMatchObject({ receipt: { assignmentId }, next: { assignment: { lease: { epoch: 1 } } } });
  const again = await api.call(expertOf(world), `POST ${path}`, answer);
  expect(again.status).toBe(200);
  expect((await again.json()).receipt).toEqual(first.receipt);
  const other = await api.call(expertOf(world), `POST ${path}`, { leaseEpoch: 1, answer: { choice: 'no' } });
  expect(other.status).toBe(409);
  expect(await problem(other)).toMatchObject({ code: 'ALREADY_SUBMITTED' });
});

test('a flag is 200', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const { assignmentId } = await next(world);
  const flag = { leaseEpoch: 1, reason: 'UNREADABLE', note: 'Nothing to see.' };
  const response = await api.call(expertOf(world), `POST /v1/assignments/${assignmentId}/flag`, flag);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ taskClosed: false });
});

test('a project is 202, once for each key, and can be looked at', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const project = {
    name: 'By hand',
    taskTypeId: world.taskTypeId,
    skillId: world.skillId,
    price: { minorUnits: '5', currency: 'USD' },
    idempotencyKey: randomUUID(),
  };
  const made = await api.call(world.customer, 'POST /v1/projects', project);
  expect(made.status).toBe(202);
  const view = await made.json();
  expect(made.headers.get('location')).toBe(`/v1/projects/${view.id}`);
  const again = await api.call(world.customer, 'POST /v1/projects', project);
  expect((await again.json()).id).toBe(view.id);
  const other = await api.call(world.customer, 'POST /v1/projects', { ...project, name: 'Another' });
  expect(other.status).toBe(409);
  expect(await problem(other)).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  const seen = await api.call(world.customer, `GET /v1/projects/${view.id}`);
  expect(await seen.json()).toMatchObject({ name: 'By hand', state: 'RUNNING', progress: { tasksTotal: 0 } });
});

test('an upload is streamed, 202, and reports its bad rows one by one', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const lines = ['{"payload":"one"}', '{"payload":', '{"payload":"three","redundancy":2}', ''].join('\n');
  const upload = (body: string, key: string) =>
    fetch(`${api.url}/v1/projects/${world.projectId}/batches?name=Up&format=jsonl`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.customer}`, 'Idempotency-Key': key },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit);
  const key = randomUUID();
  const taken = await upload(lines, key);
  expect(taken.status).toBe(202);
  const { id } = await taken.json();
  expect((await (await upload(lines, key)).json()).id).toBe(id);
  expect((await upload('{"payload":"else"}', key)).status).toBe(409);
  await until(
    async () => (await (await api.call(world.customer, `GET /v1/batches/${id}`)).json()).state !== 'STORING',
  );
  const batch = await (await api.call(world.customer, `GET /v1/batches/${id}`)).json();
  expect(batch).toMatchObject({ state: 'OPEN', taskCount: '2', errorCount: '1', rowsDone: '3' });
  const errors =
    'query($id: ID!) { node(id: $id) { ... on Batch { errors { edges { node { line reason } } } } } }';
  const { data } = await api.graphql(world.customer, errors, { id });
  expect(data.node.errors.edges).toMatchObject([{ node: { line: '2' } }]);
});

test('who may not is told so, and who is unknown as well', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const other = await makeApiWorld(api, { tasks: 0 });
  const { assignmentId } = await next(world);
  const cases: [response: Promise<Response>, status: number, code: string][] = [
    [api.call(null, 'POST /v1/tasks/next'), 401, 'UNAUTHENTICATED'],
    [api.call('nonsense', 'POST /v1/tasks/next'), 401, 'UNAUTHENTICATED'],
    [api.call(world.customer, 'POST /v1/tasks/next'), 403, 'FORBIDDEN'],
    [api.call(expertOf(world), 'POST /v1/projects', {}), 403, 'FORBIDDEN'],
    [api.call(other.customer, `GET /v1/projects/${world.projectId}`), 404, 'NOT_FOUND'],
    [
      api.call(other.customer, `POST /v1/projects/${world.projectId}/batches?format=csv&name=x`),
      400,
      'BAD_REQUEST',
    ],
    [
      api.call(expertOf(other), `POST /v1/assignments/${assignmentId}/submit`, {
        leaseEpoch: 1,
        answer: { choice: 'yes' },
      }),
      404,
      'ASSIGNMENT_NOT_FOUND',
    ],
    [api.call(expertOf(world), 'GET /v1/tasks/next'), 405, 'METHOD_NOT_ALLOWED'],
    [api.call(expertOf(world), 'GET /v1/nothing'), 404, 'NOT_FOUND'],
    [api.call(expertOf(world), 'GET /v1/payloads/x'), 404, 'NOT_FOUND'],
  ];
  for (const [response, status, code] of cases) {
    const answered = await response;
    expect(answered.status, code).toBe(status);
    expect(await problem(answered)).toMatchObject({ code });
  }
});
