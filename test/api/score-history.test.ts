import { expect, test } from 'vitest';
import { grantRole } from '../../src/services/access/grants.js';
import { ISSUER, useTestApi } from '../support/api.js';
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

interface Page {
  readonly edges: readonly { readonly node: { readonly mean: number } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
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
  for (const foreign of [
    id,
    '1.2.3.4',
    `20454.1.${world.skillId}.${world.taskTypeId}`,
    `${'9'.repeat(7)}-1.${world.skillId}.${world.taskTypeId}`,
    '',
  ]) {
    const { errors } = await api.attempt(world.analyst, HISTORY, { id, first: 5, after: foreign });
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
  }
});

test('a day of several states of one skill is paged through whole, to the expert whichever of their roles they ask in', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const expert = world.experts[0] ?? { id: '', token: '' };
  const { ids } = api.server.app;
  const given = [world.tenantId, ids.decode(expert.id)?.id, ids.decode(world.skillId)?.id];
  // Three states of one day that rest on as many results, and the end of the day before, when the next begins.
  await db.admin.query(
    `insert into shown_scores (tenant_id, expert_id, skill_id, as_of, seen, mean, lower, upper, last_right, last_of, probability_below)
     select $1, $2, $3, s.as_of::timestamptz, 20, .9 - s.n / 100.0, .7, .95, 16, 20, .1
     from (values (1, '2026-01-02T18:00:00Z'), (2, '2026-01-02T12:00:00Z'), (3, '2026-01-02T06:00:00Z'), (4, '2026-01-02T00:00:00Z')) s(n, as_of)`,
    given,
  );
  await db.admin.query(
    `insert into score_days (tenant_id, expert_id, skill_id, task_type_id, day, seen, mean, lower, upper)
     values ($1, $2, $3, 0, '2026-01-02', 20, .5, .4, .6)`,
    given,
  );
  const text = HISTORY.replace('results', 'mean');
  const meansOf = async (token: string) => {
    const found: number[] = [];
    for (let after: string | null = null; ; ) {
      const { data }: { data: { expertQuality: { history: Page } } } = await api.graphql(token, text, {
        id: expert.id,
        first: 1,
        after,
      });
      const { edges, pageInfo } = data.expertQuality.history;
      found.push(...edges.map(({ node }) => Math.round(node.mean * 100)));
      if (!pageInfo.hasNextPage) {
        return found;
      }
      after = pageInfo.endCursor;
    }
  };
  expect(await meansOf(expert.token)).toEqual([89, 88, 87, 86]);
  const { rows } = await db.admin.query(
    `select i.subject from identities i join identity_roles r on r.tenant_id = i.tenant_id and r.identity_id = i.id where r.expert_id = $1`,
    [given[1]],
  );
  const identity = {
    issuer: ISSUER,
    subject: rows[0].subject,
    displayName: 'Both',
    role: 'ANALYST',
  } as const;
  await grantRole(api.server.app.db, { tenantId: world.tenantId, actorId: null }, identity);
  const both = await api.token({ subject: rows[0].subject, tenantSlug: world.slug, role: 'ANALYST' });
  expect(await meansOf(both)).toEqual([89, 88, 87, 86]);
  expect(await meansOf(world.analyst)).toEqual([50]);
});
