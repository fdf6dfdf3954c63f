// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { expect, test } from 'vitest';
import { retrying } from '../../src/services/platform/retry.js';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { scrape } from './support/scrape.js';

const db = useTestDb();
const api = useTestApi(db);
const guarded = useTestApi(db, { metricsToken: 'a token of collectors' });

const CLAIM = `mutation { claimTask(input: {}) {
  ... on ClaimTaskPayload { assignment { id lease { epoch } } empty { reason } } ... on DomainError { code } } }`;
const HEARTBEAT = `mutation($id: ID!, $epoch: Int!) { heartbeat(input: { assignmentId: $id, leaseEpoch: $epoch, lastActivitySeconds: 0 }) {
  __typename } }`;
const SUBMIT = `mutation($id: ID!, $epoch: Int!) { submit(input: { assignmentId: $id, leaseEpoch: $epoch, answer: { choice: "yes" } }) {
  __typename ... on DomainError { code message } } }`;

async function claim({ experts: [expert] }: ApiWorld) {
  const { data } = await api.graphql(expert?.token ?? '', CLAIM);
  return data.claimTask.assignment;
}

test('claims, heartbeats and submits are timed by their class of outcome, and tasks until they are done', async () => {
  const world = await makeApiWorld(api, { tasks: 2 });
  const token = world.experts[0]?.token ?? '';
  const { id, lease } = await claim(world);
  const before = await scrape(api);
  expect(before.value('touchstone_sessions', { state: 'healthy' })).toBe(1);
  expect(before.value('touchstone_experts_active')).toBe(1);

  await api.graphql(token, HEARTBEAT, { id, epoch: lease.epoch });
  await api.graphql(token, HEARTBEAT, { id, epoch: lease.epoch + 1 });
  await db.advance(90);
  expect((await api.graphql(token, SUBMIT, { id, epoch: lease.epoch })).data.submit.__typename).toBe(
    'SubmitPayload',
  );
  await api.graphql(token, SUBMIT, { id, epoch: lease.epoch + 1 });
  await api.graphql(token, SUBMIT, { id, epoch: lease.epoch });
  const other = await makeApiWorld(api, { tasks: 0 });
  await claim(other);

  const after = await scrape(api);
  const count = (what: string, outcome: string) =>
    after.value(`touchstone_${what}_duration_seconds_count`, { outcome });
  expect(count('claim', 'ASSIGNMENT')).toBe(1);
  expect(count('claim', 'EMPTY')).toBe(1);
  expect(count('heartbeat', 'EXTENDED')).toBe(1);
  expect(count('heartbeat', 'REFUSED')).toBe(1);
  expect(count('submit', 'RECEIPT')).toBe(2);
  expect(count('submit', 'REFUSED')).toBe(1);
  for (const since of ['created', 'claimed']) {
    expect(after.value('touchstone_task_completion_seconds_count', { since })).toBe(1);
    expect(after.value('touchstone_task_completion_seconds_bucket', { since, le: '60' })).toBe(0);
    expect(after.value('touchstone_task_completion_seconds_bucket', { since, le: '300' })).toBe(1);
  }
});

test('a transaction that is run again is counted by why', async () => {
  let runs = 0;
  const again = async () => {
    runs += 1;
    if (runs === 1) {
      await db.admin.query("do $$ begin raise exception 'lost' using errcode = '40P01'; end $$");
    }
  };
  await retrying(again);
  expect((await scrape(api)).value('touchstone_retries_total', { sqlstate: '40P01' })).toBe(1);
});

test('metrics with a token are for those who have it', async () => {
  const ask = (authorization?: string) =>
    fetch(`${guarded.url}/metrics`, authorization === undefined ? {} : { headers: { authorization } });
  expect((await ask()).status).toBe(401);
  expect((await ask('Bearer another token altogether')).status).toBe(401);
  expect(await (await ask('Bearer a token of collectors')).text()).toContain('touchstone_sessions');
  expect((await fetch(`${guarded.url}/healthz`)).status).toBe(200);
});
