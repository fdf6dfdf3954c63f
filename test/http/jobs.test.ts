// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type ApiWorld, idOf, makeApiWorld, makeCustomer, makeExpert } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

// Jobs by plain HTTP calls, and the proofs of what was done.
const db = useTestDb();
const api = useTestApi(db);

let world: ApiWorld;
let worker: { token: string; id: string };
const HERE = { latitude: 42.5, longitude: 1.5 };

beforeAll(async () => {
  world = await makeApiWorld(api, { tasks: 0 });
  const { slug, operator, skillId } = world;
  worker = await makeExpert(api, { slug, operator, skillId, marker: 'worker' });
  const shift = { shiftDays: [1, 2, 3, 4, 5, 6, 7], shiftStart: '00:00', shiftEnd: '00:00' };
  const profile = { expertId: worker.id, ...shift, capacity: 10, home: HERE };
  await idOf(api, operator, 'setWorker.expert')(profile);
});

const job = (change: object = {}) => ({
  kind: 'ON_DEMAND',
  type: 'Check of a meter',
  skillIds: [world.skillId],
  place: HERE,
  dueBy: new Date(Date.now() + 3_600_000).toISOString(),
  durationSeconds: 600,
  idempotencyKey: randomUUID(),
  ...change,
});

async function see() {
  const fixes = [{ lat: 42.51, lng: 1.5, deviceMs: Date.now() }];
  expect((await api.call(worker.token, `POST /v1/workers/${worker.id}/locations`, { fixes })).status).toBe(
    200,
  );
}

async function answer(token: string, target: Parameters<typeof api.call>[1], body?: object) {
  const response = await api.call(token, target, body);
  return { status: response.status, location: response.headers.get('location'), body: await response.json() };
}

test('a job is 201, once for each key; its customer sees when, who dispatches sees who, a worker accepts', async () => {
  await see();
  const asked = job();
  const made = await answer(world.customer, 'POST /v1/jobs', asked);
  expect(made).toMatchObject({
    status: 201,
    location: `/v1/jobs/${made.body.id}`,
    body: { state: 'OFFERED', place: HERE, checkInCode: expect.stringMatching(/^\d{6}$/), arrival: null },
  });
  expect(JSON.stringify(made.body)).not.toContain(worker.id);
  expect((await answer(world.customer, 'POST /v1/jobs', asked)).body.id).toBe(made.body.id);
  const other = await answer(world.customer, 'POST /v1/jobs', { ...asked, priority: 9 });
  expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } });
  const seen = await answer(world.dispatcher, `GET /v1/dispatch/jobs/${made.body.id}`);
  expect(seen).toMatchObject({ status: 200, body: { offers: [{ workerId: worker.id, state: 'LIVE' }] } });
  const offer: string = seen.body.offers[0].id;
  expect(await answer(worker.token, `POST /v1/offers/${offer}/accept`)).toMatchObject({
    status: 200,
    body: { offerId: offer, jobId: made.body.id, state: 'ACCEPTED' },
  });
  expect(await answer(worker.token, `POST /v1/offers/${offer}/decline`)).toMatchObject({
    status: 409,
    body: { code: 'OFFER_GONE' },
  });
  expect(await answer(world.customer, `GET /v1/jobs/${made.body.id}`)).toMatchObject({
    body: { state: 'ACCEPTED', arrival: { from: expect.any(String), until: expect.any(String) } },
  });
});

test('nobody reads, assigns or answers what is not theirs', async () => {
  await see();
  const { body } = await answer(world.customer, 'POST /v1/jobs', job());
  const stranger = await makeApiWorld(api, { tasks: 0 });
  for (const token of [stranger.customer, stranger.operator]) {
    expect((await answer(token, `GET /v1/jobs/${body.id}`)).status).toBe(404);
  }
  expect((await answer(stranger.dispatcher, `POST /v1/jobs/${body.id}/assign`)).status).toBe(404);
  expect((await answer(world.customer, `GET /v1/dispatch/jobs/${body.id}`)).status).toBe(403);
  expect((await answer(world.customer, `POST /v1/jobs/${body.id}/assign`)).status).toBe(403);
  expect((await answer(worker.token, `GET /v1/jobs/${body.id}`)).status).toBe(403);
  expect((await answer(worker.token, 'POST /v1/jobs', job())).status).toBe(403);
  const { body: seen } = await answer(world.operator, `GET /v1/dispatch/jobs/${body.id}`);
  const expert = world.experts[0]?.token ?? '';
  expect((await answer(expert, `POST /v1/offers/${seen.offers[0].id}/accept`)).status).toBe(404);
  expect((await answer(worker.token, `POST /v1/offers/${body.id}/accept`)).status).toBe(404);
  expect((await answer(worker.token, `POST /v1/offers/${seen.offers[0].id}/decline`)).status).toBe(200);
});

test('assigning says why nobody can go; what makes no sense is 400 or 422, by its place', async () => {
  const { body } = await answer(world.operator, 'POST /v1/jobs', {
    ...job({ minQuality: 1 }),
    customerId: world.customerId,
  });
  await see();
  expect(await answer(world.dispatcher, `POST /v1/jobs/${body.id}/assign`)).toMatchObject({
    status: 200,
    body: { state: 'UNASSIGNED_ALERT', reason: '1 in range: 1 below the quality.', offers: [] },
  });
  const bad = await answer(world.customer, 'POST /v1/jobs', job({ durationSeconds: 1, priority: 99 }));
  expect(bad).toMatchObject({
    status: 422,
    body: { code: 'INPUT_INVALID', issues: [{ path: '/durationSeconds' }, { path: '/priority' }] },
  });
  expect((await answer(world.customer, 'POST /v1/jobs', job({ kind: 'NEVER' }))).status).toBe(400);
});

test('a proof is read by the job’s customer and who dispatches, and by nobody else; as a file, whatever it says it is', async () => {
  await see();
  const { body } = await answer(world.customer, 'POST /v1/jobs', job());
  const seen = await answer(world.operator, `GET /v1/dispatch/jobs/${body.id}`);
  await answer(worker.token, `POST /v1/offers/${seen.body.offers[0].id}/accept`);
  const mutate = (name: string, input: object) =>
    api.graphql(
      worker.token,
      `mutation($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { __typename } }`,
      { input },
    );
  await mutate('checkIn', { jobId: body.id, code: body.checkInCode });
  const script = '<script>alert(1)</script>';
  const proofs = [{ contentType: 'text/html', contentBase64: Buffer.from(script).toString('base64') }];
  await mutate('completeJob', { jobId: body.id, proofs });
  const LOOK = 'query($id: ID!) { node(id: $id) { ... on Job { proofs { contentType bytes sha256 url } } } }';
  const read = async (token: string) => (await api.graphql(token, LOOK, { id: body.id })).data.node?.proofs;
  const [proof] = await read(world.customer);
  expect(proof).toMatchObject({ contentType: 'text/html', bytes: script.length });
  const fetched = (token: string, headers: Record<string, string> = {}) =>
    fetch(proof.url, { headers: { Authorization: `Bearer ${token}`, ...headers } });
  for (const token of [world.customer, world.dispatcher, world.operator]) {
    expect(await read(token)).toHaveLength(1);
    const file = await fetched(token);
    expect(file.status).toBe(200);
    expect(await file.text()).toBe(script);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="proof"');
    expect(file.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  }
  const stranger = await makeApiWorld(api, { tasks: 0 });
  const neighbour = await makeCustomer(api, { ...world, marker: 'neighbour' });
  expect(await read(stranger.customer)).toBeUndefined();
  expect(await read(neighbour.token)).toBeUndefined();
  for (const token of [stranger.customer, neighbour.token, stranger.operator]) {
    expect((await fetched(token)).status).toBe(404);
  }
  expect((await fetched(world.analyst)).status).toBe(403);
  expect((await fetched(worker.token)).status).toBe(403);
  expect((await fetched('nobody')).status).toBe(401);
  expect((await fetched(world.customer, { 'Sec-Fetch-Dest': 'iframe' })).status).toBe(403);
  const { errors } = await api.attempt(world.analyst, LOOK, { id: body.id });
  expect(errors[0]?.extensions?.code).toBe('FORBIDDEN');
});
