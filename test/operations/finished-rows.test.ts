import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { updateExpert } from '../../src/services/access/profile.js';
import { useTestDb } from '../support/db.js';
import { type Expert, makeWorld, type World } from '../support/factories.js';
import { answerNext, take } from '../support/work.js';

const t = useTestDb();

// Why finished work is not moved elsewhere (docs/decisions/0030): claims, heartbeats and submits do not meet it. Whether
// they do is measured in pages, which are the same on every machine.

const FINISHED = 40_000;
/** Each index that a statement goes down may be a level deeper, and its page of the day another one. */
const LEVELS = 20;

interface Call {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Pages that a call reads, as a request runs it; nothing of it stays. The second run has its plans made. */
async function pagesOf({ text, values }: Call): Promise<number> {
  const client = new pg.Client({ connectionString: t.appUrl });
  await client.connect();
  try {
    let pages = 0;
    for (let run = 0; run < 3; run++) {
      await client.query('begin');
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, [...values]);
      const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
      pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      await client.query('rollback');
    }
    return pages;
  } finally {
    await client.end();
  }
}

const claimOf = ({ tenantId }: World, { expertId, viewer }: Expert): Call => ({
  text: 'select app.serve($1::bigint, $2::jsonb, $3::jsonb)',
  values: [
    tenantId,
    '[]',
    JSON.stringify([
      {
        expert: String(expertId),
        actor: String(viewer.identityId),
        skill: null,
        tokenHash: randomBytes(32).toString('hex'),
        requestId: 'test',
      },
    ]),
  ],
});

const heartbeatOf = ({ tenantId }: World, { expertId, viewer }: Expert, id: bigint): Call => ({
  text: 'select app.heartbeat($1::bigint, $2::bigint, $3::bigint, $4::bigint, 1, 0, null)',
  values: [tenantId, expertId, viewer.identityId, id],
});

const submitOf = ({ tenantId }: World, { expertId, viewer }: Expert, id: bigint): Call => ({
  text: `select app.serve($1::bigint, $2::jsonb, '[]'::jsonb)`,
  values: [
    tenantId,
    JSON.stringify([
      {
        expert: String(expertId),
        actor: String(viewer.identityId),
        assignment: String(id),
        epoch: 1,
        body: '{"choice":"yes"}',
        digest: 'a'.repeat(64),
        confidence: null,
        values: [],
      },
    ]),
  ],
});

/** Work that has ended, of the same project and lane: half of it this expert's own. */
async function finishWork({ tenantId, projectId, batchId, customer, ada, bob }: World): Promise<void> {
  await t.admin.query(
    `with done as (
       insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted, counted, state, done_at)
       select $1, $2, $3, $4, 1000 + n, 'payloads/' || n, 2, 'application/json', 1, 1, 'DONE', now() from generate_series(1, $7::int) n
       returning id, line
     )
     insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state, epoch,
                              lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
     select $1, d.id, case when d.line % 2 = 0 then $5 else $6 end::bigint, $2, $3, $4, p.lane_id, 1, 1, 0, 'SUBMITTED', 1,
            60, now() - interval '1 minute', now() + interval '1 hour', now() + interval '1 hour', now(), now(), 1, p.currency
     from done d join projects p on p.tenant_id = $1 and p.id = $2`,
    [tenantId, projectId, batchId, customer.customerId, ada.expertId, bob.expertId, FINISHED],
  );
  await t.admin.query('vacuum analyze tasks, assignments');
}

test('forty thousand finished tasks cost a claim, a heartbeat and a submit no more than the depth of an index', async () => {
  const db = t.database;
  const project = { leaseSeconds: 3_600, maxPerExpert: 100_000 };
  const world = await makeWorld(db, { experts: 3, tasks: 50, project });
  // Whose claims are counted, too: after the first one that is counted, none reads what they have done before.
  await updateExpert(db, world.operator, { expertId: world.bob.expertId, dailyCap: 10_000 });
  await answerNext(db, world.bob);
  const held = await take(db, world.ada);
  const calls = {
    claim: claimOf(world, world.bob),
    heartbeat: heartbeatOf(world, world.ada, held.id),
    submit: submitOf(world, world.ada, held.id),
  };
  const measure = async () => ({
    claim: await pagesOf(calls.claim),
    heartbeat: await pagesOf(calls.heartbeat),
    submit: await pagesOf(calls.submit),
  });
  await t.admin.query('vacuum analyze');
  const before = await measure();
  await finishWork(world);
  const after = await measure();
  expect(before.claim).toBeGreaterThan(20);
  for (const what of ['claim', 'heartbeat', 'submit'] as const) {
    expect({ what, more: Math.max(0, after[what] - before[what] - LEVELS) }).toEqual({ what, more: 0 });
  }
});
