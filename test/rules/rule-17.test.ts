import { expect, test } from 'vitest';
import { claimTask, currentAssignment } from '../../src/services/routing/claim.js';
import { hashPayloadToken } from '../../src/services/routing/held.js';
import { reclaimAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { brokenRules, expectRulesHold } from '../support/rules.js';
import { atOnce, submit, take } from '../support/work.js';

// Rule 17: every payload URL is minted and audited in one transaction; a URL is for one claim.
const t = useTestDb();

const LOGGED = `
  select count(*) from payload_grants g
  join access_log l on l.tenant_id = g.tenant_id and l.id = g.access_log_id
  where g.tenant_id = $1 and g.token_hash = any ($2) and l.actor_id = $3 and l.subject_id = g.assignment_id
    and l.payload_key = g.payload_key and l.purpose = 'WORK'`;

test('every URL that a claim, a repeat, a reload or a reclaim gives out is one grant and one line of the log', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { tasks: 3 });
  const tokens = (await atOnce(10, () => take(t.database, ada))).map((held) => held.payloadToken);
  const reload = await currentAssignment(t.database, ada.viewer);
  await t.advance(61);
  const again = await reclaimAssignment(t.database, ada.viewer, { assignmentId: reload?.id ?? 0n });
  tokens.push(reload?.payloadToken ?? '', again.payloadToken);
  expect(new Set(tokens).size).toBe(12);
  const hashes = tokens.map(hashPayloadToken);
  expect(await numberOf(t.admin, LOGGED, [tenantId, hashes, ada.viewer.identityId])).toBe(12);
  const counts = 'select count(*) from payload_grants where tenant_id = $1';
  expect(await numberOf(t.admin, counts, [tenantId])).toBe(12);
  expect(await numberOf(t.admin, 'select count(*) from access_log where tenant_id = $1', [tenantId])).toBe(
    12,
  );
  await expectRulesHold(t.database);
});

test('what gives nothing mints nothing', async () => {
  const { ada, bob, tenantId } = await makeWorld(t.database, { experts: 2 });
  const held = await take(t.database, ada);
  await claimTask(t.database, bob.viewer);
  expect(await currentAssignment(t.database, bob.viewer)).toBeNull();
  await submit(t.database, ada, held);
  expect(await currentAssignment(t.database, ada.viewer)).toBeNull();
  await claimTask(t.database, ada.viewer);
  expect(
    await numberOf(t.admin, 'select count(*) from payload_grants where tenant_id = $1', [tenantId]),
  ).toBe(1);
  expect(await numberOf(t.admin, 'select count(*) from access_log where tenant_id = $1', [tenantId])).toBe(1);
});

test('a grant names the epoch of its claim, so that the next claim has URLs of its own', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const first = await take(t.database, ada);
  await t.advance(61);
  const second = await take(t.database, ada);
  const { rows } = await t.admin.query<{ epoch: number; hash: Buffer }>(
    'select epoch, token_hash as hash from payload_grants where tenant_id = $1 order by epoch',
    [tenantId],
  );
  expect(rows).toEqual([
    { epoch: 1, hash: hashPayloadToken(first.payloadToken) },
    { epoch: 2, hash: hashPayloadToken(second.payloadToken) },
  ]);
});

test('the secret itself is stored nowhere', async () => {
  const { ada } = await makeWorld(t.database);
  const { payloadToken } = await take(t.database, ada);
  const { rows } = await t.admin.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
  );
  for (const { name } of rows) {
    const found = `select count(*) from ${name} x where x::text like '%' || $1 || '%'`;
    expect(await numberOf(t.admin, found, [payloadToken])).toBe(0);
  }
});

test('a URL without its line in the log is found by verify', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  await take(t.database, ada);
  await t.admin.query('delete from access_log where tenant_id = $1', [tenantId]);
  expect(await brokenRules(t.database)).toEqual([expect.stringContaining('rule 17')]);
});
