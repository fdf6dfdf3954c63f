// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { expect, test } from 'vitest';
import { bodyText, hostileValues, TELLTALES, withValueAt } from '../api/support/hostile.js';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { type Target, useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

const db = useTestDb();
const api = useTestApi(db);

interface Call {
  readonly token: string;
  readonly target: Target;
  readonly body: object;
  readonly types: Readonly<Record<string, string>>;
}

async function calls(): Promise<Call[]> {
  const world = await makeApiWorld(api, { tasks: 1 });
  const expert = world.experts[0]?.token ?? '';
  const { assignmentId } = await (await api.call(expert, 'POST /v1/tasks/next')).json();
  const on = (verb: string): Target => `POST /v1/assignments/${assignmentId}/${verb}`;
  const lease = { leaseEpoch: 'Int' };
  return [
    { token: expert, target: 'POST /v1/tasks/next', body: {}, types: { skillId: 'ID' } },
    {
      token: expert,
      target: on('heartbeat'),
      body: { leaseEpoch: 1, lastActivitySeconds: 0 },
      types: { ...lease, lastActivitySeconds: 'Int', draft: 'JSON' },
    },
    {
      token: expert,
      target: on('submit'),
      body: { leaseEpoch: 7, answer: { choice: 'yes' } },
      types: { ...lease, answer: 'JSON', confidence: 'Float', claimNext: 'Boolean', nextSkillId: 'ID' },
    },
    { token: expert, target: on('release'), body: { leaseEpoch: 7 }, types: lease },
    {
      token: expert,
      target: on('flag'),
      body: { leaseEpoch: 7, reason: 'OTHER' },
      types: { ...lease, reason: 'Enum', note: 'String' },
    },
    { token: world.customer, target: 'POST /v1/projects', body: projectOf(world), types: PROJECT_TYPES },
    { token: world.customer, target: 'POST /v1/jobs', body: jobOf(world), types: JOB_TYPES },
    {
      token: world.dispatcher,
      target: `POST /v1/jobs/${world.jobId}/assign`,
      body: {},
      types: { x: 'JSON' },
    },
    { token: expert, target: `POST /v1/offers/${world.offerId}/accept`, body: {}, types: { x: 'JSON' } },
  ];
}

const PROJECT_TYPES = {
  name: 'String',
  customerId: 'ID',
  taskTypeId: 'ID',
  skillId: 'ID',
  price: 'JSON',
  redundancy: 'Int',
  minQuality: 'Float',
  weight: 'Int',
  leaseSeconds: 'Int',
  deadline: 'DateTime',
  idempotencyKey: 'String',
};

const JOB_TYPES = {
  customerId: 'ID',
  kind: 'Enum',
  type: 'String',
  minQuality: 'Float',
  place: 'JSON',
  notBefore: 'DateTime',
  dueBy: 'DateTime',
  durationSeconds: 'Int',
  priority: 'Int',
  idempotencyKey: 'String',
};

const jobOf = ({ skillId }: ApiWorld) => ({
  kind: 'SCHEDULED',
  type: 'Check of a meter',
  skillIds: [skillId],
  place: { latitude: 42.5, longitude: 1.5 },
  notBefore: '2098-01-01T00:00:00Z',
  dueBy: '2099-01-01T00:00:00Z',
  durationSeconds: 600,
  idempotencyKey: 'k',
});

const projectOf = ({ taskTypeId, skillId }: ApiWorld) => ({
  name: 'n',
  taskTypeId,
  skillId,
  price: { minorUnits: '1', currency: 'EUR' },
  idempotencyKey: 'k',
});

test('every plain call answers hostile bodies with a refusal, never with a fault', async () => {
  const other = await makeApiWorld(api, { tasks: 0 });
  const foreign = [other.skillId, other.taskTypeId, other.customerId, other.projectId];
  for (const { token, target, body, types } of await calls()) {
    for (const [field, type] of Object.entries(types)) {
      for (const value of hostileValues(type, foreign)) {
        const response = await api.send(token, target, bodyText(withValueAt(body, [field], value)));
        const text = await response.text();
        const where = `${target} ${field} = ${String(value).slice(0, 60)}`;
        expect(response.status, `${where}: ${text}`).toBeLessThan(500);
        expect(text, where).not.toMatch(TELLTALES);
      }
    }
  }
});

test('what is not JSON, not UTF-8, too large or of another type is a client error', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const expert = world.experts[0]?.token ?? '';
  const bodies: [body: string | Uint8Array, status: number][] = [
    ['{', 400],
    ['null', 400],
    ['[]', 400],
    ['"text"', 400],
    ['{"leaseEpoch": 1e999, "answer": 1}', 400],
    ['{"unknown": 1}', 400],
    [new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400],
    ['x'.repeat(10 * 1024 * 1024), 413],
    ['['.repeat(500_000), 400],
  ];
  for (const target of ['POST /v1/tasks/next', 'POST /v1/assignments/x/submit', 'POST /graphql'] as const) {
    for (const [body, status] of bodies) {
      const response = await api.send(expert, target, body);
      const where = `${target} ${String(body).slice(0, 40)}`;
      expect([status, 404], where).toContain(response.status);
      expect(await response.text(), where).not.toMatch(TELLTALES);
    }
  }
  const form = await fetch(`${api.url}/v1/tasks/next`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${expert}`, 'Content-Type': 'text/plain' },
    body: '{}',
  });
  expect(form.status).toBe(415);
});

test('hostile paths, queries and headers are client errors', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const paths = [
    '/v1/projects/%00',
    '/v1/projects/%ff',
    '/v1/projects/..%2f..',
    '//',
    '/v1/payloads/%00',
    '/v1/proofs/%00',
    '/v1/jobs/%ff',
    '/v1/dispatch/jobs/..%2f..',
    '/%',
    '/graphql?query=%00',
    '/graphql?query=%ff&variables={',
  ];
  for (const path of paths) {
    const response = await fetch(`${api.url}${path}`, {
      headers: { Authorization: `Bearer ${world.operator}` },
    });
    expect(response.status, path).toBeLessThan(500);
    const text = await response.text();
    expect(text, path).toMatch(/"errors":|"code":/);
    expect(text, path).not.toMatch(TELLTALES);
  }
  const upload = (query: string, key: string) =>
    fetch(`${api.url}/v1/projects/${world.projectId}/batches?${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.customer}`, 'Idempotency-Key': key },
      body: 'x',
    });
  const heads: [query: string, key: string][] = [
    ['format=xml&name=a', 'k'],
    ['format=csv&name=%00', 'k'],
    ['format=csv&name=', 'k'],
    [`format=csv&name=${'n'.repeat(5_000)}`, 'k'],
    ['format=csv&name=a&deadline=yesterday', 'k'],
    ['format=csv&name=a', 'k'.repeat(5_000)],
    ['format=csv&name=a', ''],
  ];
  for (const [query, key] of heads) {
    const response = await upload(query, key);
    expect(response.status, query.slice(0, 60)).toBeGreaterThanOrEqual(400);
    expect(response.status, query.slice(0, 60)).toBeLessThan(500);
    expect(await response.text()).not.toMatch(TELLTALES);
  }
});
