import { expect, test } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { stampEvents } from '../../src/services/events/events.sql.js';
import { withSystem } from '../../src/services/platform/database.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { flagTask, heartbeat, releaseAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { makeTenant, makeWorld, type World } from '../support/factories.js';
import { behind, untilBlocked } from '../support/interleave.js';
import { fireAlarms, numberOf } from '../support/look.js';
import { expectRulesHold, stampAll } from '../support/rules.js';
import { answerNext, claimStatement, submit, take } from '../support/work.js';

// Rule 12: a state change and its event commit together or not at all; each stream is numbered without a gap.
const t = useTestDb();

const leaseOf = (held: { id: bigint; epoch: number }) => ({ assignmentId: held.id, leaseEpoch: held.epoch });

/** Kinds of events of the project's own stream, in their order. */
async function kindsOf(world: World): Promise<string[]> {
  const { rows } = await t.admin.query<{ kind: string }>(
    `select kind from stream_events where tenant_id = $1 and stream = $2 and kind <> 'CHANGED' order by id`,
    [world.tenantId, `lease/project/${world.projectId}`],
  );
  return rows.map((row) => row.kind);
}

test('each change of a lease writes its event, and what changes nothing writes none', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 6 });
  const { ada, bob } = world;
  const submitted = await answerNext(t.database, ada);
  await submit(t.database, ada, submitted);
  const released = await take(t.database, ada);
  await heartbeat(t.database, ada.viewer, { ...leaseOf(released), lastActivitySeconds: 0, draft: 1 });
  await releaseAssignment(t.database, ada.viewer, leaseOf(released));
  await releaseAssignment(t.database, ada.viewer, leaseOf(released));
  const flagged = await take(t.database, ada);
  await flagTask(t.database, ada.viewer, { ...leaseOf(flagged), reason: 'OTHER' });
  await take(t.database, ada);
  await take(t.database, bob);
  await t.advance(46);
  await fireAlarms(t.database);
  await submit(t.database, bob, await take(t.database, bob));
  await t.advance(15);
  await fireAlarms(t.database);
  await take(t.database, bob);
  await cancelProject(t.database, world.operator, { projectId: world.projectId, policy: 'STOP' });
  expect(await kindsOf(world)).toEqual([
    ...['LEASED', 'SUBMITTED', 'LEASED', 'RELEASED', 'LEASED', 'FLAGGED', 'LEASED', 'LEASED'],
    ...['EXPIRING', 'EXPIRING', 'SUBMITTED', 'EXPIRED', 'LEASED', 'CANCELLED'],
  ]);
  await expectRulesHold(t.database);
});

test('a change that is rolled back leaves neither state nor event', async () => {
  const world = await makeWorld(t.database);
  const client = await connect(t.appUrl, 'touchstone test');
  await client.query('begin');
  const statement = claimStatement(world.tenantId, world.ada);
  const { rows } = await client.query(statement.text, statement.values);
  expect(rows[0].claim.outcome).toBe('LEASED');
  await client.query('rollback');
  await client.end();
  expect(await kindsOf(world)).toEqual([]);
  for (const table of ['assignments', 'lease_alarms', 'payload_grants', 'access_log']) {
    expect(
      await numberOf(t.admin, `select count(*) from ${table} where tenant_id = $1`, [world.tenantId]),
    ).toBe(0);
  }
  await expectRulesHold(t.database);
});

test('events that commit out of order are numbered densely, each once, whoever numbers', async () => {
  const { experts } = await makeWorld(t.database, { experts: 8, tasks: 40 });
  let working = true;
  const sequencing = (async () => {
    while (working) {
      await stampAll(t.database);
    }
  })();
  await Promise.all(
    experts.map(async (expert) => {
      for (let n = 0; n < 5; n++) {
        await answerNext(t.database, expert);
      }
    }),
  );
  working = false;
  await sequencing;
  await expectRulesHold(t.database);
});

test('a number once given stays, even if a second sequencer counted at the same moment', async () => {
  const world = await makeWorld(t.database, { tasks: 3, experts: 3 });
  await stampAll(t.database);
  const [early, late] = [await connect(t.appUrl, 'test early'), await connect(t.systemUrl, 'test first')];
  // An event with a smaller id that commits between the two sequencers: the second one would count it first.
  await early.query('begin');
  await early.query(`select app.enter_service($1, null)`, [world.tenantId]);
  await early.query(append, [world.tenantId, 'EARLY']);
  await t.admin.query(append, [world.tenantId, 'FIRST']);
  await late.query('begin');
  await late.query('select * from app.stamp_events(100)');
  await early.query('commit');
  const second = Promise.allSettled([withSystem(t.database, (tx) => stampEvents(tx, 100))]);
  await untilBlocked(t.admin, 1);
  await late.query('commit');
  const [end] = await second;
  expect(end?.status).toBe('rejected');
  await Promise.all([early.end(), late.end()]);
  const seq = `select seq from stream_events where tenant_id = $1 and kind = $2`;
  expect(await numberOf(t.admin, seq, [world.tenantId, 'FIRST'])).toBe(1);
  await expectRulesHold(t.database);
  expect(await numberOf(t.admin, seq, [world.tenantId, 'EARLY'])).toBe(2);
});

test('two sequencers that start on the same rows agree, or one is refused; heads never go back', async () => {
  const world = await makeWorld(t.database);
  await t.admin.query(`select ${Array.from({ length: 5 }, () => `(${appendCall})`).join(', ')}`, [
    world.tenantId,
    'SAME',
  ]);
  const head = {
    text: 'select 1 from stream_events where tenant_id = $1 and seq is null order by id limit 1 for update',
    values: [world.tenantId],
  };
  await behind(t, head, [
    () => withSystem(t.database, (tx) => stampEvents(tx, 5)),
    () => withSystem(t.database, (tx) => stampEvents(tx, 2)),
  ]);
  await expectRulesHold(t.database);
  const at = `select head_seq from streams where tenant_id = $1 and stream = 'test'`;
  expect(await numberOf(t.admin, at, [world.tenantId])).toBe(5);
});

test('trimming keeps each stream dense from what was trimmed', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { tasks: 6 });
  for (let n = 0; n < 6; n++) {
    await answerNext(t.database, ada);
  }
  await stampAll(t.database);
  await t.admin.query(`select app.trim_events(interval '24 hours', 4, 1000, 1000, 0, '')`);
  await expectRulesHold(t.database);
  const kept = `select max(n) from (select count(*) as n from stream_events where tenant_id = $1 group by stream) streams`;
  expect(await numberOf(t.admin, kept, [tenantId])).toBe(4);
});

test('trimming goes through all streams by turns, and stays with one of which more is to go', async () => {
  const { tenantId } = await makeTenant(t.database);
  const streams = ['a', 'b', 'c', 'd', 'e'];
  await t.admin.query(
    `select app.append_event($1, s, 'SAME', '{}', null, null) from unnest($2::text[]) s, generate_series(1, 5)`,
    [tenantId, streams],
  );
  await stampAll(t.database);
  const trim = async (from: string): Promise<{ trimmed: number; next: string | null }> => {
    const call = `select trimmed, next_stream as next from app.trim_events(interval '24 hours', 1, 6, 2, $1, $2)`;
    return (await t.admin.query(call, [tenantId, from])).rows[0];
  };
  const steps: string[] = [];
  let from: string | null = '';
  while (from !== null) {
    const { trimmed, next } = await trim(from);
    steps.push(`${trimmed} to ${next}`);
    from = next;
  }
  expect(steps).toEqual(['6 to b', '6 to c', '4 to e', '4 to null']);
  const kept = 'select count(*) from stream_events where tenant_id = $1';
  expect(await numberOf(t.admin, kept, [tenantId])).toBe(streams.length);
  await expectRulesHold(t.database);
});

const appendCall = `select app.append_event($1, 'test', $2, '{}', null, null)`;
const append = appendCall;
