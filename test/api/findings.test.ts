import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { until } from './support/until.js';
import { type ApiWorld, makeApiWorld } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const LIST = `query($first: Int, $after: String, $isOpen: Boolean) { qualityFindings(first: $first, after: $after, isOpen: $isOpen) {
  edges { node { id kind project { name } gold { id } experts { handle } summary figures { name value }
    decisions { decision reason expert { handle } } } } pageInfo { hasNextPage endCursor } } }`;
const DISMISS = `mutation($i: DismissFindingInput!) { dismissFinding(input: $i) { __typename
  ... on DismissFindingPayload { finding { decisions { decision reason } } } ... on DomainError { code } } }`;
const PAUSE = `mutation($i: PauseFromFindingInput!) { pauseFromFinding(input: $i) { __typename
  ... on PauseFromFindingPayload { finding { decisions { decision expert { handle } } } } ... on DomainError { code } } }`;

const PEER_GAP = { goldRight: 29, goldSeen: 30, agreed: 31, compared: 60, consensus: 0.9, gap: 0.4, z: 5.25 };

/** Findings about each of the world's experts, in their order. */
async function found({ tenantId, projectId, experts }: ApiWorld): Promise<void> {
  const numberOf = (id: string) => String(api.server.app.ids.decode(id)?.id);
  for (const { id } of experts) {
    await db.admin.query(
      `insert into gold_findings (tenant_id, kind, project_id, experts, evidence, found_at) values ($1, 'PEER_GAP', $2, $3, $4, now())`,
      [tenantId, numberOf(projectId), [numberOf(id)], PEER_GAP],
    );
  }
}

test('analysts read findings page by page, in words and numbers; experts and customers are refused', async () => {
  const world = await makeApiWorld(api, { experts: 3, tasks: 0 });
  await found(world);
  const first = (await api.graphql(world.analyst, LIST, { first: 2 })).data.qualityFindings;
  const [{ node }] = first.edges;
  expect(node).toMatchObject({
    kind: 'PEER_GAP',
    gold: null,
    experts: [{ handle: world.experts[2]?.handle }],
  });
  expect(node.summary).toBe(
    'Right on 29 of 30 gold, but gave the answer of most others on 31 of 60 other tasks. ' +
      'Others are right 90 % of the time, so the gap in accuracy is 40 %, 5.3 standard errors.',
  );
  expect(node.figures).toContainEqual({ name: 'z', value: 5.25 });
  expect(first.pageInfo.hasNextPage).toBe(true);
  const after = first.pageInfo.endCursor;
  const second = (await api.graphql(world.analyst, LIST, { first: 2, after })).data.qualityFindings;
  expect(second.edges).toHaveLength(1);
  expect(second.pageInfo.hasNextPage).toBe(false);
  for (const token of [world.experts[0]?.token ?? '', world.customer, world.dispatcher]) {
    const refused = await api.attempt(token, LIST, {});
    expect(refused.errors[0]?.extensions?.code).toBe('FORBIDDEN');
  }
  const other = await makeApiWorld(api, { experts: 0, tasks: 0 });
  expect((await api.graphql(other.analyst, LIST, {})).data.qualityFindings.edges).toEqual([]);
});

test('an operator dismisses a finding or pauses its expert, with a reason; an analyst does neither', async () => {
  const world = await makeApiWorld(api, { experts: 2, tasks: 1 });
  await found(world);
  const [second, first] = (await api.graphql(world.operator, LIST, {})).data.qualityFindings.edges;
  const dismissal = { findingId: second.node.id, reason: 'A subject of theirs.' };
  const refused = await api.attempt(world.analyst, DISMISS, { i: dismissal });
  expect(refused.errors[0]?.extensions?.code).toBe('FORBIDDEN');
  const dismissed = await api.graphql(world.operator, DISMISS, { i: dismissal });
  expect(dismissed.data.dismissFinding.finding.decisions).toEqual([
    { decision: 'DISMISSED', reason: 'A subject of theirs.' },
  ]);
  const wordless = await api.graphql(world.operator, DISMISS, { i: { ...dismissal, reason: ' ' } });
  expect(wordless.data.dismissFinding.__typename).toBe('InputInvalidError');
  const code = await api.graphql(world.operator, DISMISS, { i: { ...dismissal, reason: 'UNHEALTHY' } });
  expect(code.data.dismissFinding.__typename).toBe('InputInvalidError');
  const [one, other] = world.experts;
  const late = { findingId: second.node.id, expertId: other?.id, reason: 'Knows the gold.' };
  expect((await api.graphql(world.operator, PAUSE, { i: late })).data.pauseFromFinding).toEqual({
    __typename: 'FindingDismissedError',
    code: 'FINDING_DISMISSED',
  });
  const pause = { findingId: first.node.id, expertId: one?.id, reason: 'Knows the gold.' };
  const wrong = await api.graphql(world.operator, PAUSE, { i: { ...pause, expertId: other?.id } });
  expect(wrong.data.pauseFromFinding.__typename).toBe('NotFoundError');
  const paused = await api.graphql(world.operator, PAUSE, { i: pause });
  expect(paused.data.pauseFromFinding.finding.decisions).toEqual([
    { decision: 'PAUSED', expert: { handle: one?.handle } },
  ]);
  const open = (await api.graphql(world.operator, LIST, { isOpen: true })).data.qualityFindings;
  expect(open.edges).toEqual([]);
  const claim = 'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }';
  const claimed = await api.graphql(one?.token ?? '', claim);
  expect(claimed.data.claimTask.assignment).toBeNull();
});

const DOORS = `query($id: ID) { newcomerDoors(expertId: $id, exceptionsOnly: true) { edges { node { expert { handle } skill { id }
  kind quality results provenExperts drawnToExplore drawnAccuracy } } } }`;

test('analysts read what newcomers were taken for, with each exception and its draw; experts do not', async () => {
  const world = await makeApiWorld(api, { experts: 1, tasks: 0 });
  const [expert] = world.experts;
  const newcomer = { expertId: expert?.id, skillId: world.skillId, status: 'PROBATION' };
  const set = `mutation($i: SetExpertSkillInput!) { setExpertSkill(input: $i) { __typename } }`;
  await api.graphql(world.operator, set, { i: newcomer });
  // The job comes within a second.
  await until(async () => {
    const { data } = await api.graphql(world.analyst, DOORS, { id: expert?.id });
    return data.newcomerDoors.edges.length === 1;
  }, 'the door');
  const { edges } = (await api.graphql(world.analyst, DOORS, {})).data.newcomerDoors;
  expect(edges[0].node).toMatchObject({
    expert: { handle: expert?.handle },
    skill: { id: world.skillId },
    kind: 'SCARCE_SKILL',
    results: 0,
    provenExperts: 0,
    drawnToExplore: null,
  });
  const refused = await api.attempt(expert?.token ?? '', DOORS, {});
  expect(refused.errors[0]?.extensions?.code).toBe('FORBIDDEN');
});
