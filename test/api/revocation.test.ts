import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { makeApiWorld } from './support/world.js';

// A role that is taken away ends what listens in it, and nothing else.

const db = useTestDb();
const api = useTestApi(db);

/** A socket that was let in; what it was closed with comes later. */
async function admitted(token: string): Promise<{ closedWith: () => number | null }> {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  let closedWith: number | null = null;
  socket.once('close', (code) => {
    closedWith = code;
  });
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  await new Promise((resolve) => socket.once('message', resolve));
  return { closedWith: () => closedWith };
}

async function streamed(token: string, projectId: string): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const query = `subscription { leaseEvents(projectId: "${projectId}") { kind } }`;
  const response = await fetch(`${api.url}/graphql?${new URLSearchParams({ query })}`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
  });
  return (response.body ?? new ReadableStream()).getReader();
}

test('taking a role away closes its sockets and streams; those of others go on', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const ofCustomer = await admitted(world.customer);
  const ofOperator = await admitted(world.operator);
  const stream = await streamed(world.customer, world.projectId);
  const others = await streamed(world.operator, world.projectId);
  await db.admin.query(
    `delete from identity_roles r using identities i
     where i.tenant_id = r.tenant_id and i.id = r.identity_id and r.tenant_id = $1 and r.role = 'CUSTOMER'`,
    [world.tenantId],
  );
  await expect.poll(ofCustomer.closedWith).toBe(4403);
  let ended = false;
  while (!ended) {
    ended = (await stream.read()).done;
  }
  const { data } = await api.graphql(world.operator, '{ viewer { role } }');
  expect(data.viewer.role).toBe('OPERATOR');
  expect(ofOperator.closedWith()).toBeNull();
  expect((await others.read()).done).toBe(false);
  await others.cancel();
});
