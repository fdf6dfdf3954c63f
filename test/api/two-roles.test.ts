import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { overSocket } from './support/sockets.js';
import { type ApiWorld, makeApiWorld } from './support/world.js';

// DESIGN 8.14: whoever may act as an expert sees no gold, in whatever role they ask.
const db = useTestDb();
const api = useTestApi(db);

/** Makes the analyst, or the operator, of a world its expert too. */
async function alsoExpert(world: ApiWorld, role: 'ANALYST' | 'OPERATOR'): Promise<void> {
  const expertId = api.server.app.ids.decode(world.experts[0]?.id ?? '')?.id;
  await db.admin.query('delete from identity_roles where expert_id = $1', [expertId]);
  await db.admin.query(
    `insert into identity_roles (tenant_id, identity_id, role, expert_id)
     select tenant_id, identity_id, 'EXPERT', $2 from identity_roles where tenant_id = $1 and role = $3`,
    [world.tenantId, expertId, role],
  );
}

const LOOKS = [
  'query($id: ID!) { gold(projectId: $id) { edges { node { label } } } }',
  'query($id: ID!) { qualityFindings(projectId: $id) { edges { node { id } } } }',
  'query($id: ID!) { newcomerDoors { edges { node { kind } } } node(id: $id) { id } }',
];

test.each(['ANALYST', 'OPERATOR'] as const)('an %s who may act as an expert sees no gold', async (role) => {
  const world = await makeApiWorld(api, { tasks: 0, experts: 1 });
  const token = role === 'ANALYST' ? world.analyst : world.operator;
  const codesOf = async (text: string) =>
    (await api.attempt(token, text, { id: world.projectId })).errors.map(
      ({ extensions }) => extensions?.code,
    );
  for (const look of LOOKS) {
    expect(await codesOf(look)).toEqual([]);
  }
  await alsoExpert(world, role);
  for (const look of LOOKS) {
    expect(await codesOf(look)).toEqual(['FORBIDDEN']);
  }
});

test.each(['ANALYST', 'OPERATOR'] as const)(
  'an %s who may act as an expert does not hear which work was gold',
  async (role) => {
    const world = await makeApiWorld(api, { tasks: 0, experts: 1 });
    await alsoExpert(world, role);
    const first = async (token: string, id?: string) => {
      const query = 'subscription($id: ID) { qualityEvents(projectId: $id) { kind } }';
      const { errors, data } =
        (await overSocket(api, token, { query, variables: { id } }).next()).value ?? {};
      return errors?.[0]?.extensions?.code ?? data?.qualityEvents.kind;
    };
    const [both, other] =
      role === 'ANALYST' ? [world.analyst, world.operator] : [world.operator, world.analyst];
    expect([await first(both), await first(both, world.projectId), await first(other)]).toEqual([
      'FORBIDDEN',
      'FORBIDDEN',
      'CURRENT',
    ]);
  },
);
