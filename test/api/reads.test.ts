import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { makeApiWorld, makeBatch, makeProject } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

/** How often a transaction was begun for a request while `work` ran. */
async function transactionsOf(work: () => Promise<unknown>): Promise<number> {
  const pool = api.server.app.db.appPool;
  let count = 0;
  const hear = () => {
    count += 1;
  };
  pool.on('acquire', hear);
  await work();
  pool.off('acquire', hear);
  return count;
}

const NESTED = `{ projects(first: 20) { edges { node { name customer { name } skill { name } taskType { name }
  progress { tasksTotal } spend { minorUnits }
  batches(first: 5) { edges { node { name state progress { tasksTotal } forecast { remainingAnswers } } } }
  tasks(first: 5) { edges { node { wanted flags batch { name } } } }
  answers(first: 5) { edges { node { digest } } } } } } }`;

test('a query reads as often as it is deep, however many rows it shows', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const ask = () => api.graphql(world.customer, NESTED);
  const few = await transactionsOf(ask);
  for (let n = 0; n < 5; n++) {
    const projectId = await makeProject(api, world.customer, world);
    await makeBatch(api, world.customer, { projectId, tasks: 2, marker: `more ${n}` });
  }
  expect((await ask()).data.projects.edges).toHaveLength(6);
  expect(await transactionsOf(ask)).toBe(few);
});

test('pages follow one another without gap or repeat, in lists and in what hangs on their items', async () => {
  const world = await makeApiWorld(api, { tasks: 7 });
  const seen: string[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < 10; pages++) {
    const query = `query($id: ID!, $after: String) { node(id: $id) { ... on Project {
      tasks(first: 3, after: $after) { edges { node { externalId } } pageInfo { hasNextPage hasPreviousPage endCursor } } } } }`;
    const answer = await api.graphql(world.customer, query, { id: world.projectId, after });
    const { edges, pageInfo } = answer.data.node.tasks;
    expect(pageInfo.hasPreviousPage).toBe(pages > 0);
    seen.push(...edges.map(({ node }: { node: { externalId: string } }) => node.externalId));
    after = pageInfo.endCursor;
    if (!pageInfo.hasNextPage) {
      break;
    }
  }
  expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => `item-${n + 1}-plain`));
});

test('tasks of a cancelled project are cancelled ones, in themselves and as a filter', async () => {
  const world = await makeApiWorld(api, { tasks: 2 });
  const cancel =
    'mutation($id: ID!) { cancelProject(input: { projectId: $id, policy: STOP }) { __typename } }';
  const id = world.projectId;
  expect((await api.graphql(world.customer, cancel, { id })).data.cancelProject.__typename).toBe(
    'CancelProjectPayload',
  );
  const query = `query($id: ID!) { node(id: $id) { ... on Project { state cancelPolicy } }
    cancelled: node(id: $id) { ... on Project { tasks(state: CANCELLED) { edges { node { state } } } } }
    open: node(id: $id) { ... on Project { tasks(state: OPEN) { edges { node { state } } } } } }`;
  const { data } = await api.graphql(world.customer, query, { id });
  expect(data.node).toEqual({ state: 'CANCELLED', cancelPolicy: 'STOP' });
  expect(data.cancelled.tasks.edges.map(({ node }: { node: { state: string } }) => node.state)).toEqual([
    'CANCELLED',
    'CANCELLED',
  ]);
  expect(data.open.tasks.edges).toEqual([]);
});
