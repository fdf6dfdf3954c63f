import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { makeApiWorld } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const HISTORY = `query($id: ID, $first: Int, $after: String) { expertQuality(expertId: $id) { history(first: $first, after: $after) {
  edges { cursor node { day results skill { id } taskType { id } } } pageInfo { hasNextPage endCursor } } } }`;

interface Edge {
  readonly cursor: string;
  readonly node: { readonly day: string; readonly results: number; readonly taskType: { id: string } | null };
}

test('the history of scores is paged from the latest day back, each row once, and by no cursor of another list', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const id = world.experts[0]?.id ?? '';
  const { ids } = api.server.app;
  const skillId = ids.decode(world.skillId)?.id;
  const typeId = ids.decode(world.taskTypeId)?.id;
  await db.admin.query(
    `insert into score_days (tenant_id, expert_id, skill_id, task_type_id, day, seen, mean, lower, upper)
     select $1, $2, $3, y.id, date '2026-01-01' + d, d + 1, 0.9, 0.8, 0.95 from generate_series(0, 6) d, unnest(array[0, $4::bigint]) as y(id)`,
    [world.tenantId, ids.decode(id)?.id, skillId, typeId],
  );
  const pageOf = async (after: string | null) =>
    (await api.graphql(world.analyst, HISTORY, { id, first: 5, after })).data.expertQuality.history;
  const rows: Edge[] = [];
  let after: string | null = null;
  do {
    const { edges, pageInfo } = await pageOf(after);
    expect(edges.length).toBe(pageInfo.hasNextPage ? 5 : 4);
    rows.push(...edges);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  expect(rows.map(({ node }) => [node.results, node.taskType?.id ?? null])).toEqual(
    [7, 6, 5, 4, 3, 2, 1].flatMap((results) => [
      [results, null],
      [results, world.taskTypeId],
    ]),
  );
  expect(new Set(rows.map(({ cursor }) => cursor)).size).toBe(14);
  for (const foreign of [id, '1.2.3.4', `${'9'.repeat(7)}.1.${world.skillId}.${world.taskTypeId}`, '']) {
    const { errors } = await api.attempt(world.analyst, HISTORY, { id, first: 5, after: foreign });
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
  }
});
