// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { type GraphQLInputObjectType, getNamedType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { goodInputs } from './support/good-inputs.js';
import { bodyText, hostileValues, leavesOf, TELLTALES, withValueAt } from './support/hostile.js';
import { type ApiWorld, makeApiWorld } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

interface Ground {
  readonly world: ApiWorld;
  readonly assignmentId: string;
  /** Ids of another tenant, and of things of other types. */
  readonly foreign: readonly string[];
}

let made: Promise<Ground> | undefined;
function ground(): Promise<Ground> {
  made ??= (async () => {
    const world = await makeApiWorld(api, { tasks: 2 });
    const other = await makeApiWorld(api, { tasks: 1 });
    const claim = async (w: ApiWorld) =>
      (
        await api.graphql(
          w.experts[0]?.token ?? '',
          'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id task { id } } } } }',
        )
      ).data.claimTask.assignment;
    const theirs = await claim(other);
    const foreign = [
      other.projectId,
      other.customerId,
      other.skillId,
      other.taskTypeId,
      other.experts[0]?.id ?? '',
      theirs.id,
      theirs.task.id,
    ];
    return { world, assignmentId: (await claim(world)).id, foreign };
  })();
  return made;
}

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

test.each(mutations.map(({ name }) => name))(
  '%s answers hostile input with a refusal, never with a fault',
  async (name) => {
    const field = mutations.find((mutation) => mutation.name === name);
    const inputType = getNamedType(field?.args[0]?.type) as GraphQLInputObjectType;
    const there = await ground();
    const good = goodInputs(there)[name];
    if (good === undefined) {
      throw new Error(`Add a good input of ${name} to goodInputs.`);
    }
    const document = `mutation($input: ${inputType.name}!) { ${name}(input: $input) { __typename ... on DomainError { code message } } }`;
    for (const { path, type } of leavesOf(schema, inputType.name)) {
      for (const value of hostileValues(type, there.foreign)) {
        const input = withValueAt(good.input, path, value);
        const response = await api.send(
          good.token,
          'POST /graphql',
          bodyText({ query: document, variables: { input } }),
        );
        const text = await response.text();
        const where = `${name} ${path.join('/')} = ${JSON.stringify(value)?.slice(0, 60)}`;
        expect(response.status, `${where}: ${text}`).toBeLessThan(500);
        expect(text, where).not.toMatch(TELLTALES);
      }
    }
  },
  120_000,
);

test('every list, id and cursor of a query refuses what it did not give out', async () => {
  const { world, foreign } = await ground();
  const id = 'query($id: ID!) { node(id: $id) { id } }';
  for (const value of hostileValues('ID', foreign)) {
    const { status, errors, data } = await api.attempt(world.customer, id, { id: value });
    expect(status, String(value)).toBeLessThan(500);
    expect(data?.node ?? null).toBeNull();
    expect(JSON.stringify(errors)).not.toMatch(TELLTALES);
  }
  for (const list of [
    'projects',
    'taskTypes',
    'skills',
    'experts',
    'customers',
    'assignments',
    'accessLog',
  ]) {
    for (const after of ['', 'x', '\u0000', '9'.repeat(30), ...foreign.slice(0, 1)]) {
      const query = `query($after: String) { ${list}(after: $after) { edges { cursor } } }`;
      const { status, errors } = await api.attempt(world.operator, query, { after });
      expect(status, `${list} ${after}`).toBeLessThan(500);
      expect(JSON.stringify(errors)).not.toMatch(TELLTALES);
    }
  }
});
