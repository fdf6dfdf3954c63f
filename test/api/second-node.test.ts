import { type Client, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import { loadConfig } from '../../src/runtime/config.js';
import { type RunningServer, startServer } from '../../src/server.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { describeWithRedis } from '../support/redis.js';
import { makeApiWorld } from './support/world.js';

const db = useTestDb();

describeWithRedis('two servers on one database and one Redis', () => {
  const first = useTestApi(db, { redisUrl: inject('redisUrl') });
  let second: RunningServer;
  const clients: Client[] = [];

  beforeAll(async () => {
    const config = {
      ...loadConfig({}, { TOUCHSTONE_DATA_DIR: first.dataDir, PORT: '0' }),
      redisUrl: inject('redisUrl'),
    };
    second = await startServer({ config, databaseUrl: db.url, log: createLogger('silent') });
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.dispose()));
  });
  afterAll(() => second.close());

  /** Values of one field, as told by the second server. */
  function listen(token: string, query: string, variables: Record<string, unknown>) {
    const client = createClient({
      url: `${second.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${token}` },
      retryAttempts: 0,
    });
    clients.push(client);
    const items = client.iterate<Record<string, Record<string, unknown>>>({ query, variables });
    return {
      /** The next item in which `field` is `value`. */
      async until(field: string, value: unknown) {
        for (;;) {
          const { value: answer, done } = await items.next();
          if (done || answer.errors !== undefined) {
            throw new Error(`Nothing more came: ${JSON.stringify(answer)}`);
          }
          const item = Object.values(answer.data ?? {})[0];
          if (item !== undefined && item[field] === value) {
            return item;
          }
        }
      },
    };
  }

  const CLAIM = 'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }';
  const LEASES = 'subscription($id: ID) { leaseEvents(projectId: $id) { kind assignmentId } }';

  test('an expert and a customer hear on the second of a lease that was taken on the first, and ends', async () => {
    const world = await makeApiWorld(first, { tasks: 1 });
    const expert = world.experts[0]?.token ?? '';
    const own = listen(expert, LEASES, {});
    const project = listen(world.customer, LEASES, { id: world.projectId });
    await own.until('kind', 'CURRENT');
    await project.until('kind', 'CURRENT');
    const { data } = await first.graphql(expert, CLAIM);
    const assignmentId = data.claimTask.assignment.id;
    expect(await project.until('kind', 'LEASED')).toMatchObject({ assignmentId });
    await db.advance(1_700);
    expect(await own.until('kind', 'EXPIRING')).toMatchObject({ assignmentId });
    expect(await project.until('kind', 'EXPIRING')).toMatchObject({ assignmentId });
    await db.advance(200);
    expect(await own.until('kind', 'EXPIRED')).toMatchObject({ assignmentId });
    expect(await project.until('kind', 'EXPIRED')).toMatchObject({ assignmentId });
  });

  test('a customer hears on the second of a deadline that comes to be at risk', async () => {
    const world = await makeApiWorld(first, { tasks: 20 });
    const query =
      'subscription($id: ID!) { deadlineRisk(projectId: $id) { atRisk batchId probabilityOnTime } }';
    const risk = listen(world.customer, query, { id: world.projectId });
    await risk.until('atRisk', false);
    await db.admin.query(
      `update projects set deadline = app.clock_now() + interval '10 minutes' where tenant_id = $1`,
      [world.tenantId],
    );
    await db.advance(500);
    const told = await risk.until('atRisk', true);
    expect(told.probabilityOnTime).toBeLessThan(0.8);
    expect(told.batchId).not.toBeNull();
  });
});
