// @once
import { randomUUID } from 'node:crypto';
import { buildSchema, isObjectType, printSchema } from 'graphql';
import { createClient } from 'graphql-ws';
import { beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { schema } from '../../src/schema/index.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { type ApiWorld, idOf, makeApiWorld, makeExpert } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

let world: ApiWorld;
let worker: { token: string; id: string };
const HERE = { latitude: 42.5, longitude: 1.5 };

beforeAll(async () => {
  world = await makeApiWorld(api, { tasks: 0 });
  const { slug, operator, skillId } = world;
  worker = await makeExpert(api, { slug, operator, skillId, marker: 'worker' });
  await idOf(
    api,
    operator,
    'setWorker.expert',
  )({
    expertId: worker.id,
    shiftDays: [1, 2, 3, 4, 5, 6, 7],
    shiftStart: '00:00',
    shiftEnd: '00:00',
    capacity: 10,
    home: HERE,
  });
  // So that it is morning there.
  const hour = new Date().getUTCHours();
  const behind = Math.min(12, hour - 10);
  await api.graphql(operator, SET_ZONE, {
    zone: behind === 0 ? 'Etc/GMT' : `Etc/GMT${behind > 0 ? '+' : ''}${behind}`,
  });
});

const SET_ZONE =
  'mutation($zone: String!) { setDispatchSettings(input: { timeZone: $zone }) { __typename } }';

const see = async () => {
  const fixes = [{ lat: 42.51, lng: 1.5, deviceMs: Date.now() }];
  const { status } = await api.call(worker.token, `POST /v1/workers/${worker.id}/locations`, { fixes });
  expect(status).toBe(200);
};

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

const LOOK_AS_CUSTOMER =
  'query($id: ID!) { node(id: $id) { ... on Job { state checkInCode arrival { from until } } } }';
const LOOK =
  'query($id: ID!) { node(id: $id) { ... on Job { state arrival { from until } offer { id worker { id } } } } }';

async function mutate(token: string, name: string, input: object) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const document = `mutation($input: ${type}Input!) { ${name}(input: $input) { __typename ... on DomainError { code } } }`;
  return (await api.graphql(token, document, { input })).data[name];
}

test('a customer asks, a worker accepts, comes and proves it; the customer sees when, and never who or where', async () => {
  await see();
  const jobId = await idOf(api, world.customer, 'createJob.job')(job());
  const seenByStaff = (await api.graphql(world.dispatcher, LOOK, { id: jobId })).data.node;
  expect(seenByStaff).toMatchObject({ state: 'OFFERED', offer: { worker: { id: worker.id } } });
  const offerId = seenByStaff.offer.id;
  expect(await mutate(worker.token, 'acceptOffer', { offerId })).toEqual({
    __typename: 'AcceptOfferPayload',
  });
  const { node } = (await api.graphql(world.customer, LOOK_AS_CUSTOMER, { id: jobId })).data;
  expect(node).toMatchObject({
    state: 'ACCEPTED',
    arrival: { from: expect.any(String), until: expect.any(String) },
  });
  const { errors } = await api.attempt(world.customer, LOOK, { id: jobId });
  expect(errors[0]?.extensions?.code).toBe('FORBIDDEN');
  const wrong = node.checkInCode === '000000' ? '000001' : '000000';
  expect((await mutate(worker.token, 'checkIn', { jobId, code: wrong })).code).toBe('WRONG_CODE');
  await mutate(worker.token, 'checkIn', { jobId, code: node.checkInCode });
  const proofs = [{ contentType: 'image/png', contentBase64: Buffer.from('photo').toString('base64') }];
  expect(await mutate(worker.token, 'completeJob', { jobId, proofs })).toEqual({
    __typename: 'CompleteJobPayload',
  });
  const moves = `query($id: ID!) { node(id: $id) { ... on Job { moves { to by { id } } offers { state score jobsToday } } } }`;
  const told = (await api.graphql(world.operator, moves, { id: jobId })).data.node;
  expect(told.moves.map(({ to }: { to: string }) => to)).toEqual([
    'OPEN',
    'OFFERED',
    'ACCEPTED',
    'IN_PROGRESS',
    'DONE',
  ]);
  expect(told.offers).toEqual([{ state: 'DONE', score: expect.any(Number), jobsToday: 0 }]);
});

test('a worker may not read the code, nor a customer who comes', async () => {
  await see();
  const id = await idOf(api, world.customer, 'createJob.job')(job());
  const code = await api.attempt(
    worker.token,
    'query($id: ID!) { node(id: $id) { ... on Job { checkInCode } } }',
    { id },
  );
  expect(code.errors[0]?.extensions?.code).toBe('FORBIDDEN');
  const { data } = await api.graphql(world.customer, '{ jobs { edges { node { state } } } }');
  expect(data.jobs.edges.length).toBeGreaterThan(0);
  const offers = await api.attempt(world.customer, '{ offers { edges { node { state } } } }');
  expect(offers.errors[0]?.extensions?.code).toBe('FORBIDDEN');
  await mutate(world.customer, 'cancelJob', { jobId: id, reason: 'Looked at.' });
});

test('no type that tells of a worker, an offer or an arrival has a coordinate in it, but the home that they gave and an export', () => {
  const types = buildSchema(printSchema(schema)).getTypeMap();
  const withPlaces = Object.values(types)
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => /latitude|longitude/.test(field.name) || String(field.type).startsWith('Place'))
        .map((field) => `${type.name}.${field.name}`),
    );
  expect(withPlaces.sort()).toEqual([
    'Job.place',
    'Place.latitude',
    'Place.longitude',
    // (What `exportTrace` gives, and writes down.)
    'TraceFix.latitude',
    'TraceFix.longitude',
    'Worker.home',
  ]);
});

/** What a subscriber hears until it is enough. */
async function hear(
  token: string,
  query: string,
  until: (event: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>[]> {
  const client = createClient({
    url: `${api.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
  });
  const heard: Record<string, unknown>[] = [];
  for await (const { data, errors } of client.iterate({ query })) {
    expect(errors).toBeUndefined();
    heard.push(Object.values(data ?? {})[0] as Record<string, unknown>);
    if (until(heard.at(-1) ?? {})) {
      break;
    }
  }
  await client.dispose();
  return heard;
}

test('a worker hears of an offer as it comes, a customer of the state of the job', async () => {
  const offers = hear(
    worker.token,
    'subscription { offerEvents { offerId state } }',
    ({ state }) => state === 'DECLINED',
  );
  const jobs = hear(
    world.customer,
    'subscription { jobEvents { jobId state reason noShow } }',
    ({ state }) => state === 'CANCELLED',
  );
  await see();
  const jobId = await idOf(api, world.customer, 'createJob.job')(job());
  const { node } = (await api.graphql(world.dispatcher, LOOK, { id: jobId })).data;
  expect(await mutate(worker.token, 'declineOffer', { offerId: node.offer.id })).toEqual({
    __typename: 'DeclineOfferPayload',
  });
  expect((await offers).at(-1)).toEqual({ offerId: node.offer.id, state: 'DECLINED' });
  await mutate(world.customer, 'cancelJob', { jobId, reason: 'Not needed.' });
  expect((await jobs).at(-1)).toEqual({ jobId, state: 'CANCELLED', reason: null, noShow: null });
});

const ACKNOWLEDGE = `mutation($input: AcknowledgeAlertInput!) { acknowledgeAlert(input: $input) { __typename
  ... on AcknowledgeAlertPayload { alert { state note } } ... on DomainError { code } } }`;

test('dispatchers hear, read and acknowledge alerts of dispatch, and of nothing else', async () => {
  const heard: Record<string, string>[] = [];
  const client = createClient({
    url: `${api.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${world.dispatcher}` },
  });
  const query = 'subscription { alertEvents { kind alertKind alertId } }';
  const listening = (async () => {
    for await (const { data, errors } of client.iterate({ query })) {
      expect(errors).toBeUndefined();
      heard.push((data as { alertEvents: Record<string, string> }).alertEvents);
      if (heard.at(-1)?.kind === 'ACKNOWLEDGED') {
        break;
      }
    }
  })();
  await expect.poll(() => heard.at(-1)?.kind).toBe('CURRENT');
  await idOf(api, world.operator, 'pauseExpert.expert')({ expertId: worker.id, reason: 'For a while.' });
  await idOf(api, world.operator, 'resumeExpert.expert')({ expertId: worker.id, reason: 'Back.' });
  const jobId = await idOf(api, world.customer, 'createJob.job')(job({ minQuality: 1 }));
  await expect.poll(() => heard.at(-1)?.kind).toBe('RAISED');
  const alertId = heard.at(-1)?.alertId ?? '';
  const LIST = '{ alerts { edges { node { id kind state } } } }';
  const listed = async (token: string) =>
    (await api.graphql(token, LIST)).data.alerts.edges.map(({ node }: { node: object }) => node);
  expect(await listed(world.dispatcher)).toEqual(
    expect.arrayContaining([{ id: alertId, kind: 'JOB_UNASSIGNED', state: 'OPEN' }]),
  );
  const acknowledge = async (token: string, id: string) =>
    (await api.graphql(token, ACKNOWLEDGE, { input: { alertId: id, note: 'I call somebody.' } })).data
      .acknowledgeAlert;
  const others = (await listed(world.operator)).filter(
    ({ kind }: { kind: string }) => kind === 'EXPERT_PAUSED',
  );
  expect(others).toHaveLength(1);
  expect(await acknowledge(world.dispatcher, others[0].id)).toMatchObject({ code: 'NOT_FOUND' });
  expect(await acknowledge(world.dispatcher, alertId)).toMatchObject({
    alert: { state: 'ACKNOWLEDGED', note: 'I call somebody.' },
  });
  expect(await acknowledge(world.operator, alertId)).toMatchObject({ code: 'ALREADY_ACKNOWLEDGED' });
  await listening;
  await client.dispose();
  expect(heard.filter(({ alertKind }) => alertKind === 'EXPERT_PAUSED')).toEqual([]);
  await mutate(world.customer, 'cancelJob', { jobId, reason: 'Done with.' });
});

test('a trace is exported for a job, with a reason, by who dispatches; it is written down that it was, and the worker told', async () => {
  await see();
  const jobId = await idOf(api, world.customer, 'createJob.job')(job());
  const { node } = (await api.graphql(world.dispatcher, LOOK, { id: jobId })).data;
  await mutate(worker.token, 'acceptOffer', { offerId: node.offer.id });
  const EXPORT = `mutation($input: ExportTraceInput!) { exportTrace(input: $input) { __typename
    ... on ExportTracePayload { exportId from until worker { id } fixes { at latitude longitude accuracyMetres } } ... on DomainError { code } ... on JobStateError { state } } }`;
  const input = { jobId, reason: 'The customer says that nobody came.' };
  const running = await api.graphql(world.dispatcher, EXPORT, { input });
  expect(running.data.exportTrace).toMatchObject({ code: 'JOB_STATE', state: 'ACCEPTED' });
  await mutate(world.customer, 'cancelJob', { jobId, reason: 'Nobody came.' });
  const TOLD =
    'subscription { traceEvents { export { id jobId role reason exportedById exportedBy { id } worker { id } } } }';
  const hearing = hear(worker.token, TOLD, (event) => event.export !== null);
  const { exportTrace } = (await api.graphql(world.dispatcher, EXPORT, { input })).data;
  expect(exportTrace).toMatchObject({ exportId: expect.any(String), worker: { id: worker.id } });
  const exportId = api.server.app.ids.decode(exportTrace.exportId)?.id;
  const { rows } = await db.admin.query(
    `select l.purpose, l.role, e.reason from trace_exports e
     join access_log l on l.tenant_id = e.tenant_id and l.id = e.access_log_id where e.id = $1`,
    [exportId],
  );
  expect(rows).toEqual([{ purpose: 'TRACE', role: 'DISPATCHER', reason: input.reason }]);
  const told = {
    ...{ id: exportTrace.exportId, jobId, role: 'DISPATCHER', reason: input.reason, exportedBy: null },
    ...{ exportedById: expect.any(String), worker: { id: worker.id } },
  };
  expect((await hearing).at(-1)?.export).toEqual(told);
  const LIST =
    '{ traceExports(first: 5) { edges { node { id jobId role reason exportedById exportedBy { id } worker { id } } } } }';
  const listed = async (token: string) => (await api.graphql(token, LIST)).data.traceExports.edges;
  expect(await listed(worker.token)).toEqual([{ node: told }]);
  const [{ node: forOperators }] = await listed(world.operator);
  expect(forOperators.exportedBy.id).toBe(forOperators.exportedById);
  const short = await api.graphql(world.dispatcher, EXPORT, { input: { jobId, reason: 'why' } });
  expect(short.data.exportTrace.code).toBe('INPUT_INVALID');
  for (const token of [world.customer, world.analyst, worker.token]) {
    expect((await api.attempt(token, EXPORT, { input })).errors[0]?.extensions?.code).toBe('FORBIDDEN');
  }
  for (const token of [world.customer, world.analyst, world.dispatcher]) {
    expect((await api.attempt(token, LIST)).errors[0]?.extensions?.code).toBe('FORBIDDEN');
  }
  const stranger = await makeApiWorld(api, { tasks: 0 });
  const refused = await api.graphql(stranger.dispatcher, EXPORT, { input });
  expect(refused.data.exportTrace.code).toBe('NOT_FOUND');
});
