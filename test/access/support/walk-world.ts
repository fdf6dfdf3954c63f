import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import {
  type ApiWorld,
  idOf,
  makeApiWorld,
  makeBatch,
  makeCustomer,
  makeExpert,
  makeProject,
} from '../../api/support/world.js';
import type { TestApi } from '../../support/api.js';
import { plantDispatch } from '../../support/planted-dispatch.js';
import { plantFixes } from '../../support/planted-fixes.js';
import { plantGold } from '../../support/planted-gold.js';
import { plantSessions } from '../../support/populate.js';
import type { Eyes, Held } from './secrets.js';

/** Somebody who looks around. */
export interface Viewer {
  readonly name: string;
  readonly token: string;
  readonly eyes: Eyes;
  readonly held: Held;
}

/**
 * One tenant of the walk: two customers, each with a task type, a project and batches of its own; two experts, one for
 * each customer's skill, who have answered, flagged, and left drafts; staff. Every text bears the name of its owner.
 */
export async function makeWalkTenant(api: TestApi, db: pg.Client, name: string): Promise<Viewer[]> {
  const world = await makeApiWorld(api, { experts: 0, tasks: 0, marker: `${name}-one` });
  const { slug, tenantId, operator } = world;
  const second = await makeCustomer(api, { slug, tenantId, operator, marker: `${name}-two` });
  const sides = [
    { customer: world.customer, customerId: world.customerId, marker: `${name}-one` },
    { customer: second.token, customerId: second.id, marker: `${name}-two` },
  ];
  const viewers: Viewer[] = [];
  const workers: string[] = [];
  for (const side of sides) {
    workers.push(await workFor(api, db, { world, ...side }));
  }
  await plantDispatch(db, tenantId);
  await plantFixes(db, tenantId);
  for (const [n, side] of sides.entries()) {
    const expert = workers[n] ?? '';
    viewers.push(await viewerOf(api, db, { name: `customer ${side.marker}`, token: side.customer }));
    viewers.push(await viewerOf(api, db, { name: `expert ${side.marker}`, token: expert }));
  }
  await plantGold(db, tenantId);
  await plantNotices(db, tenantId);
  await plantAgreement(db, tenantId);
  await plantMethods(db, tenantId);
  await plantFailures(db, tenantId);
  await plantAlerts(db, tenantId);
  await plantWebhook(db, tenantId);
  await plantSessions(db, tenantId);
  for (const role of ['analyst', 'dispatcher', 'operator'] as const) {
    viewers.push(await viewerOf(api, db, { name: `${role} ${name}`, token: world[role] }));
  }
  return viewers;
}

/** That everybody was warned, with what of: the job that writes such rows comes when it comes, and texts are read once. */
async function plantNotices(db: pg.Client, tenantId: bigint): Promise<void> {
  await db.query(
    `insert into standing_notices (tenant_id, expert_id, skill_id, phase, reason, at, evidence)
     select s.tenant_id, s.expert_id, s.skill_id, 'WARNED', 'ACCURACY_BELOW_BAR', now(), jsonb_build_object('expert', e.handle)
     from expert_skills s join experts e on e.tenant_id = s.tenant_id and e.id = s.expert_id where s.tenant_id = $1`,
    [tenantId],
  );
  await db.query(
    `insert into standings (tenant_id, expert_id, skill_id, phase, state, updated_at)
     select s.tenant_id, s.expert_id, s.skill_id, 'WARNED', '{"phase": "WARNED"}', now() from expert_skills s where s.tenant_id = $1
     on conflict do nothing`,
    [tenantId],
  );
}

/** Background work that failed, of subjects that there are not, so that nobody does it meanwhile. */
async function plantFailures(db: pg.Client, tenantId: bigint): Promise<void> {
  await db.query(
    `insert into work_failures (tenant_id, job, subject_id, failures, error, failed_at, retry_at)
     select tenant_id, 'effects', -id, 1, 'Failed for ' || handle, now(), now() + interval '1 d' from experts where tenant_id = $1`,
    [tenantId],
  );
}

/** An alert of each customer, acknowledged with a note, and one of the tenant's own. */
async function plantAlerts(db: pg.Client, tenantId: bigint): Promise<void> {
  await db.query(
    `insert into alerts (tenant_id, kind, cause, severity, reason, customer_id, project_id, opened_at, last_seen_at, acknowledged_at, acknowledged_by, note)
     select tenant_id, kind, 'planted/' || id, 'WARNING', kind || ' of ' || name, case kind when 'SKILL_SHORT' then null else customer_id end, id,
       now(), now(), now(), 1, 'Note on ' || kind || ' of ' || name
     from projects cross join (values ('BATCH_FAILED'), ('SKILL_SHORT')) as k(kind) where tenant_id = $1`,
    [tenantId],
  );
}

/** A webhook that is sent nothing, and what it was told. */
async function plantWebhook(db: pg.Client, tenantId: bigint): Promise<void> {
  await db.query(
    `insert into webhooks (tenant_id, url, state, reason, changed_at, last_error)
     select id, 'https://' || slug || '.example/hooks', 'DISABLED', 'Disabled by ' || slug, now(), 'Error of ' || slug from tenants where id = $1`,
    [tenantId],
  );
  await db.query(
    `insert into webhook_deliveries (tenant_id, epoch, subject, type, data, created_at, due_at, error)
     select t.id, 1, 'subject of ' || t.slug, 'planted.test', jsonb_build_object('note', 'told ' || t.slug), now(), now(), 'Refused by ' || t.slug
     from tenants t where t.id = $1`,
    [tenantId],
  );
}

/** By what projects are judged, with the customer's name in it. */
async function plantMethods(db: pg.Client, tenantId: bigint): Promise<void> {
  await db.query(
    `insert into inference_versions (tenant_id, project_id, customer_id, dimension, number, method, reason, gold_tasks, gold_answers,
       gold_items, answers_an_item, answers, trials, temper, doubt, scores_temper, scores_doubt, prior, accuracy, matrix,
       last_assignment, last_grading)
     select tenant_id, id, customer_id, 'choice', 1, 'DAWID_SKENE', 'CHOSEN_ON_GOLD', 10, 60, 50, 1, 9,
            jsonb_build_array(jsonb_build_object('method', 'MAJORITY', 'accuracy', 0.9, 'stated', 0.9, 'of', name)), 1, 0, 1, 0,
            jsonb_build_object('prior of ' || name, 0.5), 0.8, jsonb_build_object('matrix of ' || name, '{}'::jsonb), 0, 0
     from projects where tenant_id = $1`,
    [tenantId],
  );
  await db.query(
    `insert into inference_experts (tenant_id, version_id, expert_id, accuracy, matrix)
     select v.tenant_id, v.id, e.id, 0.9, jsonb_build_object('answers of ' || e.handle, '{}'::jsonb)
     from inference_versions v join experts e on e.tenant_id = v.tenant_id where v.tenant_id = $1`,
    [tenantId],
  );
}

/** What is kept of how answers agree, with the customer's name in it. */
async function plantAgreement(db: pg.Client, tenantId: bigint): Promise<void> {
  await db.query(
    `insert into agreement_cells (tenant_id, project_id, skill_id, task_type_id, dimension, expert_id, peer_id, size, said, heard,
       customer_id, pairs, spread)
     select p.tenant_id, p.id, p.skill_id, p.task_type_id, 'choice', e.expert_id, 0, 2, 'said in ' || p.name, 'heard in ' || p.name, p.customer_id, 2, 0
     from projects p cross join (values (0), (1)) as e(expert_id) where p.tenant_id = $1`,
    [tenantId],
  );
  await db.query(
    `insert into agreement_totals (tenant_id, project_id, skill_id, task_type_id, dimension, expert_id, peer_id, customer_id, tasks,
       answers, total, squares)
     select tenant_id, id, skill_id, task_type_id, 'choice', 0, 0, customer_id, 1, 2, 0, 0 from projects where tenant_id = $1`,
    [tenantId],
  );
  await db.query(
    `insert into agreement_values (tenant_id, project_id, skill_id, task_type_id, dimension, digest, customer_id, answers)
     select tenant_id, id, skill_id, task_type_id, 'choice', 'digest in ' || name, customer_id, 2 from projects where tenant_id = $1`,
    [tenantId],
  );
}

interface Side {
  readonly world: ApiWorld;
  readonly customer: string;
  readonly customerId: string;
  readonly marker: string;
}

/** A project of one customer, and an expert who answers, flags and drafts in it. Answers their token. */
async function workFor(
  api: TestApi,
  db: pg.Client,
  { world, customer, customerId, marker }: Side,
): Promise<string> {
  const { slug, operator } = world;
  const skillId = await idOf(
    api,
    operator,
    'createSkill.skill',
  )({ name: `Skill of ${marker} ${randomUUID()}` });
  const choice = `right by ${marker}`;
  const taskTypeId = await idOf(
    api,
    customer,
    'createTaskType.taskType',
  )({
    name: `Type of ${marker}`,
    definition: { kind: 'SINGLE_CHOICE', options: [{ value: choice }, { value: 'wrong' }] },
    instructions: `Instructions of ${marker}`,
  });
  const expert = await makeExpert(api, { slug, operator, skillId, marker });
  const projectId = await makeProject(api, customer, { taskTypeId, skillId, marker });
  await makeBatch(api, customer, { projectId, tasks: 4, marker });
  await addFaults(api, db, { customer, projectId, marker });
  await answer(api, expert.token, choice);
  await flag(api, expert.token, `Note of ${marker}`);
  const held = await claim(api, expert.token);
  const input = {
    assignmentId: held,
    leaseEpoch: 1,
    lastActivitySeconds: 0,
    draft: { choice: `draft of ${marker}` },
  };
  await api.graphql(
    expert.token,
    'mutation($input: HeartbeatInput!) { heartbeat(input: $input) { __typename } }',
    { input },
  );
  await note(api, operator, { expertId: expert.id, customerId, skillId, marker });
  return expert.token;
}

/** What only operators, and in part analysts, may know of an expert. */
async function note(
  api: TestApi,
  operator: string,
  { marker, ...of }: { expertId: string; customerId: string; skillId: string; marker: string },
): Promise<void> {
  const { expertId, customerId, skillId } = of;
  const conflict = { expertId, customerId, reason: `Conflict of ${marker}` };
  await idOf(api, operator, 'addConflict.expert')(conflict);
  await idOf(api, operator, 'pauseExpert.expert')({ expertId, skillId, reason: `Pause of ${marker}` });
  await idOf(api, operator, 'resumeExpert.expert')({ expertId, skillId, reason: `Return of ${marker}` });
  await idOf(api, operator, 'pauseExpert.expert')({ expertId, skillId, reason: `Pause of ${marker}` });
}

/** A batch with a bad row, and one that could not be read at all. */
async function addFaults(
  api: TestApi,
  db: pg.Client,
  { customer, projectId, marker }: { customer: string; projectId: string; marker: string },
): Promise<void> {
  const tasks = [
    { payload: marker, contentType: `text/x-${marker}`, allowExpertIds: [`nobody of ${marker}`] },
    { payload: `more of ${marker}`, contentType: `text/x-${marker}` },
  ];
  const input = { projectId, name: `Faulty of ${marker}`, idempotencyKey: `faulty of ${marker}`, tasks };
  const id = await idOf(api, customer, 'createBatch.batch')(input);
  await db.query(`update batches set state = 'FAILED', failure = $2, stored_at = null where id = $1`, [
    api.server.app.ids.decode(id)?.id,
    `Failure of ${marker}`,
  ]);
}

async function claim(api: TestApi, token: string): Promise<string> {
  const query = 'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }';
  return (await api.graphql(token, query)).data.claimTask.assignment.id;
}

async function answer(api: TestApi, token: string, choice: string): Promise<void> {
  const input = { assignmentId: await claim(api, token), leaseEpoch: 1, answer: { choice } };
  const query = 'mutation($input: SubmitInput!) { submit(input: $input) { __typename } }';
  const { data } = await api.graphql(token, query, { input });
  if (data.submit.__typename !== 'SubmitPayload') {
    throw new Error(`The submit was answered ${data.submit.__typename}.`);
  }
}

async function flag(api: TestApi, token: string, note: string): Promise<void> {
  const input = { assignmentId: await claim(api, token), leaseEpoch: 1, reason: 'OTHER', note };
  await api.graphql(token, 'mutation($input: FlagTaskInput!) { flagTask(input: $input) { __typename } }', {
    input,
  });
}

async function viewerOf(
  _api: TestApi,
  db: pg.Client,
  { name, token }: { name: string; token: string },
): Promise<Viewer> {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const { rows } = await db.query(
    `select i.tenant_id, i.id, r.customer_id, r.expert_id from tenants t
     join identities i on i.tenant_id = t.id and i.subject = $2
     join identity_roles r on r.tenant_id = t.id and r.identity_id = i.id and r.role = $3
     where t.slug = $1`,
    [claims.tenant, claims.sub, claims.role],
  );
  const [{ tenant_id, id, customer_id, expert_id }] = rows;
  const eyes = {
    role: claims.role,
    tenantId: BigInt(tenant_id),
    identityId: BigInt(id),
    customerId: customer_id === null ? null : BigInt(customer_id),
    expertId: expert_id === null ? null : BigInt(expert_id),
  };
  return { name, token, eyes, held: await heldBy(db, eyes) };
}

async function heldBy(db: pg.Client, { tenantId, expertId }: Eyes): Promise<Held> {
  const { rows } = await db.query(
    `select a.task_id, a.project_id, p.task_type_id, null::bigint as job_id, null::bigint as exported_by from assignments a
     join projects p on p.tenant_id = a.tenant_id and p.id = a.project_id
     where a.tenant_id = $1 and a.expert_id = $2
     union all select null, null, null, job_id, null from offers where tenant_id = $1 and expert_id = $2
     union all select null, null, null, null, exported_by from trace_exports where tenant_id = $1 and expert_id = $2`,
    [tenantId, expertId],
  );
  const set = (column: string) => new Set(rows.map((row) => String(row[column])));
  const work = { tasks: set('task_id'), projects: set('project_id'), taskTypes: set('task_type_id') };
  return { ...work, jobs: set('job_id'), followers: set('exported_by') };
}
