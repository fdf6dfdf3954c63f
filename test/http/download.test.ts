import { expect, test } from 'vitest';
import { makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

const db = useTestDb();
const api = useTestApi(db);

test('a customer gets the answers and results of a project as a file, and learns of nobody who gave them', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const [expert] = world.experts;
  const held = await (await api.call(expert?.token ?? '', 'POST /v1/tasks/next')).json();
  const submit = { leaseEpoch: 1, answer: { choice: 'yes' } };
  await api.call(expert?.token ?? '', `POST /v1/assignments/${held.assignmentId}/submit`, submit);

  const path = `/v1/projects/${world.projectId}` as const;
  const csv = await api.call(world.customer, `GET ${path}/answers?format=csv`);
  expect(csv.status).toBe(200);
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="answers.csv"');
  const text = await csv.text();
  expect(text).toMatch(
    /^item,label,assignment_id,epoch,submitted_at,digest,price_minor,currency,batch,project,kind\n/,
  );
  expect(text).toContain('\nitem-1-plain,yes,');
  expect(text).not.toContain(expert?.handle ?? '');

  const line = JSON.parse(await (await api.call(world.customer, `GET ${path}/answers?format=jsonl`)).text());
  expect(line).toMatchObject({ item: 'item-1-plain', answer: { choice: 'yes' }, kind: 'WORK' });
  expect(line).not.toHaveProperty('worker');

  const results = await (await api.call(world.customer, `GET ${path}/results`)).text();
  expect(results).toMatch(/^item,dimension,label,probability,/);
  expect(results).toContain('\nitem-1-plain,choice,yes,');
});

test('an expert is given no file, and a format that there is none of is said', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const path = `/v1/projects/${world.projectId}/answers` as const;
  expect((await api.call(world.experts[0]?.token ?? '', `GET ${path}`)).status).toBe(403);
  expect((await api.call(world.customer, `GET ${path}?format=xlsx`)).status).toBe(400);
  expect(await (await api.call(world.customer, `GET ${path}?format=jsonl`)).text()).toBe('');
});
