import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { plantGold } from '../support/planted-gold.js';
import { makeApiWorld, makeBatch } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const CLAIM = `mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id task { id } lease { epoch } } } } }`;
const SUBMIT = `mutation($i: SubmitInput!) { submit(input: $i) { __typename } }`;
const RULE = `mutation($i: SetRedundancyInput!) { setRedundancy(input: $i) { __typename } }`;
const SET = `mutation($i: SetBudgetInput!) { setBudget(input: $i) {
  ... on SetBudgetPayload { project { budget { limit { minorUnits } stopped } } } ... on InputInvalidError { issues { path } } } }`;
const SHARE = `mutation($i: SetExplorationShareInput!) { setExplorationShare(input: $i) {
  __typename ... on InputInvalidError { issues { path } } } }`;
const PROJECT = `query($id: ID!) { node(id: $id) { ... on Project { price { minorUnits } budget { stopped available { minorUnits } }
  tasks(first: 9) { edges { node { state waitsForBudget } } } } } }`;

test('a customer sees how many tasks have stopped for want of budget, and which', async () => {
  const world = await makeApiWorld(api, { experts: 2, tasks: 0 });
  const { customer, projectId } = world;
  await plantGold(db.admin, world.tenantId); // else the job may ask for the first gold
  await api.graphql(customer, RULE, { i: { projectId, agree: { agree: 2, max: 3 } } });
  const { price } = (await api.graphql(customer, PROJECT, { id: projectId })).data.node;
  const budget = String(BigInt(price.minorUnits) * 2n);
  await api.graphql(customer, SET, { i: { projectId, budget } });
  await makeBatch(api, customer, { projectId, tasks: 1, marker: 'of the customer' });
  for (const [index, { token }] of world.experts.entries()) {
    const { id, lease } = (await api.graphql(token, CLAIM)).data.claimTask.assignment;
    const answer = { choice: index === 0 ? 'yes' : 'no' };
    await api.graphql(token, SUBMIT, { i: { assignmentId: id, leaseEpoch: lease.epoch, answer } });
  }
  const { data } = await api.graphql(customer, PROJECT, { id: projectId });
  expect(data.node.budget).toEqual({ stopped: 1, available: { minorUnits: '0' } });
  expect(data.node.tasks.edges).toEqual([{ node: { state: 'DONE', waitsForBudget: true } }]);
});

test('nobody takes a bound away by leaving it out', async () => {
  const { customer, operator, projectId, skillId } = await makeApiWorld(api, { experts: 0, tasks: 0 });
  const budget = '1000000';
  await api.graphql(customer, SET, { i: { projectId, budget } });
  const left = await api.graphql(customer, SET, { i: { projectId } });
  expect(left.data.setBudget).toEqual({ issues: [{ path: '/budget' }] });
  const kept = await api.graphql(customer, PROJECT, { id: projectId });
  expect(kept.data.node.budget).toEqual({ stopped: 0, available: { minorUnits: budget } });
  const removed = await api.graphql(customer, SET, { i: { projectId, budget: null } });
  expect(removed.data.setBudget).toEqual({ project: { budget: null } });
  const share = await api.graphql(operator, SHARE, { i: { skillId } });
  expect(share.data.setExplorationShare).toMatchObject({ issues: [{ path: '/share' }] });
});
