import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Database } from '../../src/services/platform/database.js';
import { flagTask, heartbeat } from '../../src/services/routing/lease.js';
import { type Customer, makeBatch, makeCustomer, makeProject, makeWorld, type World } from './factories.js';
import { plantDispatch } from './planted-dispatch.js';
import { plantFixes } from './planted-fixes.js';
import { plantGold } from './planted-gold.js';
import { stampAll } from './rules.js';
import { answerNext, take } from './work.js';

/** A tenant in which every table has rows, of two customers and two experts. */
export interface Populated {
  readonly world: World;
  readonly otherCustomer: Customer;
}

/** Fills every table with a tenant: by doing the work where the services do it, by hand where no service writes yet. */
export async function populate({
  database: db,
  admin,
}: {
  database: Database;
  admin: pg.Client;
}): Promise<Populated> {
  const world = await makeWorld(db, { experts: 3, tasks: 3, project: { redundancy: 3 } });
  const otherCustomer = await makeCustomer(db, world);
  const other = { ...world, customer: otherCustomer };
  const otherProject = await makeProject(db, other);
  await makeBatch(db, other, {
    projectId: otherProject,
    tasks: [{ allow: [world.bob.expertId] }, { allow: [world.cyd.expertId] }, {}],
  });
  for (const expert of [world.ada, world.bob]) {
    await answerNext(db, expert);
    const flagged = await take(db, expert);
    const lease = { assignmentId: flagged.id, leaseEpoch: flagged.epoch };
    await flagTask(db, expert.viewer, { ...lease, reason: 'OTHER' });
  }
  await stampAll(db);
  await plant(admin, world.tenantId);
  return { world, otherCustomer };
}

/** More work in a populated tenant: its events and postings wait for their numbers, its leases are live. */
export async function leaveWaiting(db: Database, { world }: Populated): Promise<void> {
  for (const expert of [world.ada, world.bob]) {
    await answerNext(db, expert);
    const held = await take(db, expert);
    const beat = { assignmentId: held.id, leaseEpoch: held.epoch, lastActivitySeconds: 0, draft: 'typed' };
    await heartbeat(db, expert.viewer, beat);
  }
}

/** What no service of this file's callers writes. */
async function plant(admin: pg.Client, tenantId: bigint): Promise<void> {
  await admin.query(
    `insert into batch_errors (tenant_id, batch_id, line, customer_id, reason)
     select tenant_id, id, 99, customer_id, 'planted' from batches where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into forecasts (tenant_id, batch_id, project_id, customer_id, computed_at, remaining, answers_per_hour)
     select tenant_id, id, project_id, customer_id, now(), 1, 0 from batches where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into forecast_marks (tenant_id, batch_id, share, customer_id, at, elapsed_seconds, answers, remaining)
     select tenant_id, id, 50, customer_id, now(), 60, 1, 1 from batches where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into forecast_log (tenant_id, batch_id, project_id, customer_id, made_at, share, finished, seconds, at_risk)
     select tenant_id, id, project_id, customer_id, now(), 50, 0, array_fill(1::float8, array[19]), false from batches
     where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into expert_weeks (tenant_id, expert_id, week, seconds, updated_at)
     select tenant_id, id, 1, array_fill(60::smallint, array[168]), now() from experts where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into hour_marks (tenant_id, batch_id, through, looked_at)
     select tenant_id, id, now(), now() from batches where tenant_id = $1 on conflict do nothing`,
    [tenantId],
  );
  await admin.query(
    `with opened as (
       insert into open_batches (tenant_id, project_id, batch_id, customer_id, moves)
       select tenant_id, project_id, id, customer_id, 1 from batches where tenant_id = $1 on conflict do nothing)
     insert into task_tallies (tenant_id, project_id, batch_id, customer_id, kind, state, wanted, counted, tasks)
     select tenant_id, project_id, id, customer_id, 'WORK', 'CANCELLED', 9, 9, 0 from batches where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into conflicts (tenant_id, expert_id, customer_id, reason)
     select x.tenant_id, max(x.id), c.id, 'planted' from experts x join customers c on c.tenant_id = x.tenant_id
     where x.tenant_id = $1 group by x.tenant_id, c.id`,
    [tenantId],
  );
  await admin.query(
    `insert into pauses (tenant_id, expert_id, skill_id, reason, status_before, paused_by, resumed_at, told, resume_reason)
     select tenant_id, expert_id, skill_id, 'planted', 'ACTIVE', 1, now(), true, 'planted' from expert_skills where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into pools (tenant_id, skill_id, task_type_id, queue_depth, open_answers, computed_at)
     select distinct tenant_id, skill_id, task_type_id, 0, 0, now() from projects where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into skill_pools (tenant_id, skill_id, queue_depth, open_answers, experts_available, experts_qualified,
       seconds_per_answer, capacity_per_hour, pressure, computed_at)
     select tenant_id, id, 0, 0, 0, 0, 300, 0, 0, now() from skills where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into tallies (tenant_id, expert_id, project_id, taken, is_full)
     select x.tenant_id, x.id, p.id, 1, false from experts x join projects p on p.tenant_id = x.tenant_id
     where x.tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into expert_days (tenant_id, expert_id, day, taken)
     select x.tenant_id, x.id, current_date, 1 from experts x where x.tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into answer_readers (tenant_id, identity_id, project_id, task_id)
     select r.tenant_id, r.identity_id, p.id, 0 from identity_roles r join projects p on p.tenant_id = r.tenant_id
     where r.tenant_id = $1 and r.role = 'OPERATOR'`,
    [tenantId],
  );
  await admin.query(
    `insert into alerts (tenant_id, kind, cause, severity, reason, customer_id, project_id, opened_at, last_seen_at, acknowledged_at, acknowledged_by, note)
     select tenant_id, 'ADJUDICATIONS_WAITING', 'project/' || id, 'WARNING', 'Alert of ' || name, customer_id, id, now(), now(), now(), 1,
       'Note of ' || name from projects where tenant_id = $1`,
    [tenantId],
  );
  await plantFixes(admin, tenantId);
  await plantWebhook(admin, tenantId);
  await plantSessions(admin, tenantId);
  await plantGold(admin, tenantId);
  await plantDispatch(admin, tenantId);
  await plantQuality(admin, tenantId);
  await admin.query(
    `insert into stream_events (tenant_id, stream, kind, body, expert_id, created_at)
     select tenant_id, 'lease/expert/' || id, 'EXPIRING', '{}', id, now() from experts where tenant_id = $1`,
    [tenantId],
  );
}

/** Experts who are connected to a node that no server of the test takes for dead, after an interruption. */
export async function plantSessions(admin: pg.Client, tenantId: bigint): Promise<void> {
  const node = randomUUID();
  await admin.query(`insert into session_nodes (id, beat_at) values ($1, now() + interval '100 years')`, [
    node,
  ]);
  await admin.query(
    `insert into expert_sessions (tenant_id, expert_id, connected_at) select tenant_id, id, now() from experts where tenant_id = $1
     on conflict do nothing`,
    [tenantId],
  );
  await admin.query(
    `insert into expert_connections (tenant_id, expert_id, node_id, sockets, streams, since)
     select tenant_id, id, $2, 1, 0, now() from experts where tenant_id = $1`,
    [tenantId, node],
  );
  await admin.query(
    `insert into expert_interruptions (tenant_id, expert_id, lost_at, back_at) select tenant_id, id, now(), now() from experts where tenant_id = $1`,
    [tenantId],
  );
}

/** (Disabled, so that a server of the test sends nothing.) */
async function plantWebhook(admin: pg.Client, tenantId: bigint): Promise<void> {
  await admin.query(
    `insert into webhooks (tenant_id, url, state, reason, changed_at, last_error)
     select id, 'https://planted.example/' || slug, 'DISABLED', 'planted', now(), 'planted' from tenants where id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into webhook_secrets (tenant_id, sealed, created_at) values ($1, '\\x00', now())`,
    [tenantId],
  );
  await admin.query(
    `insert into webhook_deliveries (tenant_id, epoch, subject, type, data, created_at, due_at, error)
     values ($1, 1, 'planted', 'webhook.test', '{}', now(), now(), 'planted')`,
    [tenantId],
  );
}

async function plantQuality(admin: pg.Client, tenantId: bigint): Promise<void> {
  const statements = [
    `insert into quality_scores (tenant_id, expert_id, skill_id, task_type_id, state, seen, mean, lower, upper, updated_at)
     select s.tenant_id, s.expert_id, s.skill_id, y.id, '{"right":1,"wrong":0}', 1, 0.9, 0.8, 0.95, now()
     from expert_skills s join task_types y on y.tenant_id = s.tenant_id where s.tenant_id = $1`,
    `insert into answer_forms (tenant_id, assignment_id, project_id, customer_id, expert_id, client_version, form_variant)
     select tenant_id, assignment_id, project_id, customer_id, expert_id, 'planted', 'B' from answers where tenant_id = $1`,
    `insert into skill_priors (tenant_id, skill_id, mean, strength, updated_at)
     select tenant_id, id, 0.8, 4.5, now() from skills where tenant_id = $1`,
    `insert into score_days (tenant_id, expert_id, skill_id, task_type_id, day, seen, mean, lower, upper)
     select tenant_id, expert_id, skill_id, task_type_id, current_date - 1, seen, mean, lower, upper from quality_scores where tenant_id = $1`,
    `insert into calibration_days (tenant_id, expert_id, day, pairs, stated, actual, error, use)
     select tenant_id, id, current_date - 1, 1, 0.9, 1, 0.1, 'TOO_FEW' from experts where tenant_id = $1`,
    `insert into standings (tenant_id, expert_id, skill_id, phase, state, updated_at)
     select tenant_id, expert_id, skill_id, 'CLEAR', '{}', now() from expert_skills where tenant_id = $1`,
    `insert into standing_notices (tenant_id, expert_id, skill_id, phase, reason, at, evidence)
     select tenant_id, expert_id, skill_id, 'WARNED', 'ACCURACY_BELOW_BAR', now(), '{}' from expert_skills where tenant_id = $1`,
    `insert into doors (tenant_id, expert_id, skill_id, kind, quality, mean, lower, results, grading_id, proven_experts, opened_at)
     select tenant_id, expert_id, skill_id, 'SCARCE_SKILL', 0.79, 0.8, 0.4, 0, 0, 2, now() from expert_skills where tenant_id = $1`,
    `insert into probations (tenant_id, expert_id, skill_id, is_over, results, correct, grading_id, at)
     select tenant_id, expert_id, skill_id, true, 8, 8, 1, now() from expert_skills where tenant_id = $1`,
    `insert into shown_notices (tenant_id, notice_id, expert_id, skill_id, shown_at)
     select tenant_id, id, expert_id, skill_id, now() from standing_notices where tenant_id = $1`,
    `insert into shown_standings (tenant_id, expert_id, skill_id, phase, since)
     select tenant_id, expert_id, skill_id, 'CLEAR', now() from expert_skills where tenant_id = $1`,
    `insert into shown_marks (tenant_id, expert_id, skill_id, hidden)
     select tenant_id, expert_id, skill_id, false from expert_skills where tenant_id = $1`,
    `insert into shown_scores (tenant_id, expert_id, skill_id, as_of, seen, mean, lower, upper, last_right, last_of, probability_below)
     select tenant_id, expert_id, skill_id, now(), 1, 0.9, 0.8, 0.95, 1, 1, 0.1 from expert_skills where tenant_id = $1`,
    `insert into shown_calibrations (tenant_id, expert_id, as_of, pairs, stated, actual, error, use)
     select tenant_id, id, now(), 1, 0.9, 1, 0.1, 'TOO_FEW' from experts where tenant_id = $1`,
    `insert into project_looks (tenant_id, project_id, look, bytes_min, bytes_max)
     select tenant_id, id, 'look of ' || name, 1, 1 from projects where tenant_id = $1 on conflict do nothing`,
    `insert into gold_refills (tenant_id, project_id, looked_at) select tenant_id, id, now() from projects where tenant_id = $1`,
    `insert into mint_looks select tenant_id, project_id, id, counted, now() from tasks where tenant_id = $1`,
    `insert into newcomer_decisions (tenant_id, expert_id, skill_id, decided_at)
     select tenant_id, expert_id, skill_id, now() from expert_skills where tenant_id = $1`,
    `insert into skill_effects (tenant_id, expert_id, skill_id, decided_at, due_at, latest_at, gate_at, look_at, answers_min, answers_max,
       after_assignment)
     select tenant_id, expert_id, skill_id, now(), now() + interval '1 h', now() + interval '1 h', now() + interval '1 h', now() + interval '1 h', 1, 1, 0 from expert_skills where tenant_id = $1`,
    `insert into retests select tenant_id, expert_id, skill_id, now() from expert_skills where tenant_id = $1`,
    // (Also keeps verify from comparing the planted scores with facts that there are none of.)
    `insert into grading_dues (tenant_id, expert_id, skill_id)
     select tenant_id, expert_id, skill_id from expert_skills where tenant_id = $1`,
    `insert into confidence_calibrations (tenant_id, expert_id, pairs, stated, actual, error, brier, intercept, slope, use, updated_at)
     select tenant_id, id, 1, 0.9, 1, 0.1, 0.01, 0, 1, 'TOO_FEW', now() from experts where tenant_id = $1`,
    `insert into skill_calibrations (tenant_id, expert_id, skill_id, dimension, pairs, intercept, slope, usual, use, updated_at)
     select tenant_id, expert_id, skill_id, 'choice', 1, 0, 1, 0.9, 'TOO_FEW', now() from expert_skills where tenant_id = $1`,
    `insert into stopping_models (tenant_id, project_id, dimension, items, next_accuracy, updated_at)
     select tenant_id, id, 'choice', 0, 0.8, now() from projects where tenant_id = $1`,
    `insert into adjudication_waits (tenant_id, project_id, customer_id, tasks, min_quality)
     select tenant_id, id, customer_id, 1, 0.8 from projects where tenant_id = $1`,
    `insert into inference_turns (tenant_id, project_id, looked_at) select tenant_id, id, now() from projects where tenant_id = $1`,
    `insert into inference_versions (tenant_id, project_id, customer_id, dimension, number, method, reason, gold_tasks, gold_answers,
       gold_items, answers_an_item, answers, trials, temper, doubt, scores_temper, scores_doubt, accuracy, last_assignment, last_grading)
     select tenant_id, id, customer_id, 'choice', 1, 'ONE_COIN', 'CHOSEN_ON_GOLD', 10, 60, 50, 1, 9, '[]', 1, 0, 1, 0, 0.8, 0, 0
     from projects where tenant_id = $1`,
    `insert into inference_experts (tenant_id, version_id, expert_id, accuracy)
     select v.tenant_id, v.id, e.id, 0.9 from inference_versions v join experts e on e.tenant_id = v.tenant_id where v.tenant_id = $1`,
    `insert into project_budgets (tenant_id, project_id, customer_id, budget_minor, committed_minor)
     select p.tenant_id, p.id, p.customer_id, 1000000, p.price_minor * coalesce(sum(t.wanted), 0) from projects p
     left join tasks t on t.tenant_id = p.tenant_id and t.project_id = p.id and t.kind <> 'GOLD'
     where p.tenant_id = $1 group by p.tenant_id, p.id, p.customer_id, p.price_minor`,
    `insert into budget_changes (tenant_id, project_id, customer_id, budget_minor, committed_minor)
     select tenant_id, id, customer_id, 1000000, 0 from projects where tenant_id = $1`,
    `insert into risk_policies (tenant_id, project_id, customer_id, threshold, lift)
     select tenant_id, id, customer_id, 0.8, 2 from projects where tenant_id = $1`,
    `insert into project_lifts (tenant_id, project_id, customer_id, lift, batch_id, ended_at, end_reason)
     select tenant_id, id, customer_id, 2, id, now(), 'ON_TRACK' from projects where tenant_id = $1`,
    `insert into budget_stops (tenant_id, project_id, task_id, customer_id, decision_id)
     select tenant_id, id, -id, customer_id, 0 from projects where tenant_id = $1`,
    `insert into score_checkpoints (tenant_id, expert_id, skill_id, grading_id, state, updated_at)
     select tenant_id, expert_id, skill_id, 0, '{"skill":{"seen":0,"right":0,"wrong":0,"lastAtMs":null,"lastId":null,"recent":[],"confusions":[]},"types":{},"standing":{"phase":"CLEAR","reason":null,"sinceMs":null,"results":[],"failed":0},"correct":0}', now()
     from expert_skills where tenant_id = $1`,
    `insert into work_failures (tenant_id, job, subject_id, error, failures, failed_at, retry_at)
     select tenant_id, 'scores', id, 'planted', 1, now(), now() from experts where tenant_id = $1`,
    `insert into watch_dues (tenant_id, project_id) select tenant_id, id from projects where tenant_id = $1`,
    `insert into restored_gradings (tenant_id, grading_id, finding_id, reason, voided_at)
     select tenant_id, min(id), 0, 'planted', now() from gradings where tenant_id = $1 group by tenant_id`,
    `insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, results, decided_by)
     select distinct on (project_id) tenant_id, id, project_id, customer_id, 1, 'STOP', '[]'::jsonb, 1 from tasks
     where tenant_id = $1 and counted > 0 order by project_id, id`,
    // (Of no task that there is: nothing of the walk depends on it.)
    `insert into adjudications (tenant_id, task_id, parent_id, project_id, customer_id) select tenant_id, -id, id, id, customer_id from projects where tenant_id = $1`,
    `with drawn as (insert into truth_draws select tenant_id, project_id, parent_id, 'AUDIT' from adjudications where tenant_id = $1 returning *)
     insert into dropped_draws select tenant_id, project_id, task_id from drawn`,
    ...AGREEMENT,
  ];
  for (const statement of statements) {
    await admin.query(statement, [tenantId]);
  }
}

/** Of nobody’s answers: nothing is counted, so that it is what the facts amount to. */
const AGREEMENT = [
  `insert into agreement_dues (tenant_id, task_id) select tenant_id, id from tasks where tenant_id = $1 order by id limit 1`,
  `insert into agreement_units (tenant_id, task_id, counted)
   select tenant_id, id, array[-1, -2] from tasks where tenant_id = $1 order by id limit 1`,
  `insert into agreement_cells (tenant_id, project_id, skill_id, task_type_id, dimension, expert_id, peer_id, size, said, heard,
     customer_id, pairs, spread)
   select tenant_id, id, skill_id, task_type_id, 'choice', 0, 0, 2, 'planted', 'planted', customer_id, 0, 0 from projects where tenant_id = $1`,
  `insert into agreement_totals (tenant_id, project_id, skill_id, task_type_id, dimension, expert_id, peer_id, customer_id, tasks,
     answers, total, squares)
   select tenant_id, id, skill_id, task_type_id, 'choice', 0, 0, customer_id, 0, 0, 0, 0 from projects where tenant_id = $1`,
  `insert into agreement_values (tenant_id, project_id, skill_id, task_type_id, dimension, digest, customer_id, answers)
   select tenant_id, id, skill_id, task_type_id, 'choice', 'planted', customer_id, 0 from projects where tenant_id = $1`,
];
