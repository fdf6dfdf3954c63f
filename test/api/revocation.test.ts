import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { overSocket } from './support/sockets.js';
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

/** Lets who acts in a role of a tenant act as an expert, too. */
async function alsoExpert(tenantId: bigint, role: 'ANALYST' | 'OPERATOR'): Promise<void> {
  await db.admin.query(
    `with expert as (insert into experts (tenant_id, handle) values ($1, $2) returning id)
     insert into identity_roles (tenant_id, identity_id, role, expert_id)
     select $1, r.identity_id, 'EXPERT', expert.id from identity_roles r, expert where r.tenant_id = $1 and r.role = $2`,
    [tenantId, role],
  );
}

test('staff who come to act as experts hear no more of gold, and of everything else as before', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const alerts = 'subscription { alertEvents { kind } }';
  const listen = (token: string, query: string) => overSocket(api, token, { query });
  await alsoExpert(world.tenantId, 'ANALYST');
  const ofAnalyst = listen(world.analyst, alerts);
  const [quality, ofOperator] = ['subscription { qualityEvents { kind } }', alerts].map((query) =>
    listen(world.operator, query),
  );
  for (const items of [ofAnalyst, quality, ofOperator]) {
    expect(Object.values((await items?.next())?.value.data)).toEqual([{ kind: 'CURRENT' }]);
  }
  await alsoExpert(world.tenantId, 'OPERATOR');
  const refused = [expect.objectContaining({ extensions: { code: 'FORBIDDEN' } })];
  await expect(quality?.next()).rejects.toEqual(refused);
  await expect(ofOperator?.next()).rejects.toEqual(refused);
  // Of what is not about gold they go on hearing, and the analyst, who was known to be one, has heard of it all along.
  const again = listen(world.operator, alerts);
  expect((await again.next()).value.data.alertEvents).toEqual({ kind: 'CURRENT' });
  await db.admin.query(
    `select app.raise_alert($1, 'SKILL_SHORT', 'skill/1', 'WARNING', 'Nobody is there.', '{}')`,
    [world.tenantId],
  );
  for (const items of [ofAnalyst, again]) {
    expect((await items.next()).value.data.alertEvents).toEqual({ kind: 'RAISED' });
  }
  await expect(
    listen(world.operator, 'subscription { qualityEvents { kind } }').next(),
  ).resolves.toMatchObject({
    value: { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
  });
});
