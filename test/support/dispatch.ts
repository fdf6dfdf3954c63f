import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Viewer } from '../../src/services/access/viewer.js';
import { type Assigning, assignJob } from '../../src/services/dispatch/assign.js';
import { checkIn, completeJob } from '../../src/services/dispatch/at-the-place.js';
import { createJob, type NewJob } from '../../src/services/dispatch/jobs.js';
import { overrideAssignment } from '../../src/services/dispatch/override.js';
import type { Place } from '../../src/services/dispatch/ports.js';
import { setDispatchSettings, setWorker, type WorkerProfile } from '../../src/services/dispatch/workers.js';
import type { Database } from '../../src/services/platform/database.js';
import { straightDispatch } from './dispatch-ports/straight-lines.js';
import {
  type Customer,
  type Expert,
  makeCustomer,
  makeExpert,
  makeSkill,
  makeTenant,
  makeViewer,
  type Tenant,
} from './factories.js';

/** Where the jobs of tests are. */
export const HERE: Place = { latitude: 42.5, longitude: 1.5 };
/** One degree of latitude, and what the default router takes a minute for, in metres. */
const DEGREE_METRES = 111_195;
const MINUTE_METRES = (9 * 60) / 1.4;

/** So many minutes away from {@link HERE}, by the default router. */
export const minutesAway = (minutes: number): Place => ({
  ...HERE,
  latitude: HERE.latitude + (minutes * MINUTE_METRES) / DEGREE_METRES,
});

/** A tenant in which people are sent to places; where it is about ten in the morning. */
export interface Depot extends Tenant {
  readonly on: Assigning;
  readonly admin: pg.Client;
  readonly dispatcher: Viewer;
  readonly customer: Customer;
  readonly skillId: bigint;
}

export async function makeDepot(t: {
  readonly database: Database;
  readonly admin: pg.Client;
}): Promise<Depot> {
  const db = t.database;
  const tenant = await makeTenant(db);
  const { rows } = await t.admin.query('select extract(hour from app.clock_now())::int as hour');
  const behind = Math.min(12, rows[0].hour - 10);
  const timeZone = behind === 0 ? 'Etc/GMT' : `Etc/GMT${behind > 0 ? '+' : ''}${behind}`;
  await setDispatchSettings(db, tenant.operator, { timeZone });
  return {
    ...tenant,
    on: { db, dispatch: straightDispatch(db), inStage: (_stage, work) => work() },
    admin: t.admin,
    dispatcher: await makeViewer(db, tenant, { role: 'DISPATCHER' }),
    customer: await makeCustomer(db, tenant),
    skillId: await makeSkill(db, tenant),
  };
}

const PROFILE: Omit<WorkerProfile, 'expertId'> = {
  active: true,
  shiftDays: [1, 2, 3, 4, 5, 6, 7],
  shiftStart: '00:00',
  shiftEnd: '00:00',
  capacity: 1,
  home: HERE,
  serviceArea: null,
};

export interface WorkerOptions extends Partial<Omit<WorkerProfile, 'expertId'>> {
  /** Where they were seen; null: nowhere. */
  readonly at?: Place | null;
  /** How long ago, by both clocks. */
  readonly ageSeconds?: number;
  readonly quality?: number;
  readonly skilled?: boolean;
}

/** An expert who goes to places, and was just seen at one. */
export async function makeWorker(depot: Depot, options: WorkerOptions = {}): Promise<Expert> {
  const { at = minutesAway(10), ageSeconds = 0, quality = 0.8, skilled = true, ...profile } = options;
  const skills = skilled ? [{ skillId: depot.skillId, quality }] : [];
  const expert = await makeExpert(depot.on.db, depot, skills);
  const { expertId } = expert;
  await setWorker(depot.on.db, depot.operator, { ...PROFILE, ...profile, expertId });
  if (at !== null) {
    await see(depot, expert, { at, ageSeconds });
  }
  return expert;
}

/** Many workers without any skill, all on shift, at home at one place and seen there, just now or a while ago: whom a search gets past. */
export async function makeCrowd(
  { admin, tenantId }: Depot,
  count: number,
  { ageSeconds = 0, ...at }: Place & { readonly ageSeconds?: number },
): Promise<void> {
  await admin.query(
    `with made as (
       insert into experts (tenant_id, handle) select $1, 'crowd ' || gen_random_uuid() from generate_series(1, $2::int) returning id
     ), working as (
       insert into workers (tenant_id, expert_id, shift_days, shift_start, shift_end, home_latitude, home_longitude, travels)
       select $1, m.id, '{1,2,3,4,5,6,7}', '00:00', '00:00', $3, $4, true from made m returning expert_id
     )
     insert into latest_fixes (tenant_id, expert_id, latitude, longitude, cell, device_at, received_at)
     select $1, w.expert_id, $3, $4, '88394461c7fffff', n.at, n.at
     from working w cross join (select app.clock_now() - make_interval(secs => $5) as at) n`,
    [tenantId, count, at.latitude, at.longitude, ageSeconds],
  );
}

/** The worker was seen at a place, by both clocks. */
export async function see(
  { admin, tenantId }: Depot,
  { expertId }: Expert,
  { at, ageSeconds = 0 }: { readonly at: Place; readonly ageSeconds?: number },
): Promise<void> {
  await admin.query(
    `insert into latest_fixes (tenant_id, expert_id, latitude, longitude, cell, device_at, received_at)
     select $1, $2, $3, $4, '88394461c7fffff', n.at, n.at from (select app.clock_now() - make_interval(secs => $5) as at) n
     on conflict (tenant_id, expert_id) do update set latitude = excluded.latitude, longitude = excluded.longitude,
       device_at = excluded.device_at, received_at = excluded.received_at`,
    [tenantId, expertId, at.latitude, at.longitude, ageSeconds],
  );
}

export interface JobOptions extends Partial<Omit<NewJob, 'notBefore' | 'dueBy'>> {
  readonly dueInSeconds?: number;
  /** Absent: at once. */
  readonly notBeforeInSeconds?: number;
}

/** An open job of the depot's customer. */
export async function makeJob(depot: Depot, options: JobOptions = {}): Promise<bigint> {
  const { dueInSeconds = 2_400, notBeforeInSeconds, ...rest } = options;
  const { rows } = await depot.admin.query(
    'select app.clock_now() + make_interval(secs => $1) as due, app.clock_now() + make_interval(secs => $2) as begins',
    [dueInSeconds, notBeforeInSeconds ?? 0],
  );
  const { jobId } = await createJob(depot.on.db, depot.customer.viewer, {
    customerId: depot.customer.customerId,
    kind: notBeforeInSeconds === undefined ? 'ON_DEMAND' : 'SCHEDULED',
    type: 'Check of a meter',
    skillIds: [depot.skillId],
    minQuality: 0,
    place: HERE,
    notBefore: notBeforeInSeconds === undefined ? null : rows[0].begins,
    dueBy: rows[0].due,
    durationSeconds: 1_800,
    priority: 5,
    idempotencyKey: randomUUID(),
    ...rest,
  });
  return jobId;
}

/** Assigns a job, which must find somebody. Answers the offer. */
export async function offerOf(depot: Depot, jobId: bigint): Promise<OfferLook> {
  const { offerId, reason } = await assignJob(depot.on, actorOf(depot), jobId);
  if (offerId === null) {
    throw new Error(reason);
  }
  return lookAtOffer(depot, offerId);
}

export const actorOf = ({ tenantId, dispatcher }: Depot) => ({ tenantId, actorId: dispatcher.identityId });

export interface OfferLook {
  readonly id: bigint;
  readonly expertId: bigint;
  readonly jobId: bigint;
  readonly state: string;
  readonly score: number | null;
  readonly jobsToday: number | null;
}

export async function lookAtOffer({ admin }: Depot, offerId: bigint): Promise<OfferLook> {
  const { rows } = await admin.query('select * from offers where id = $1', [offerId]);
  const [o] = rows;
  return {
    id: BigInt(o.id),
    expertId: BigInt(o.expert_id),
    jobId: BigInt(o.job_id),
    state: o.state,
    score: o.score,
    jobsToday: o.jobs_today,
  };
}

export async function lookAtJob({ admin }: Depot, jobId: bigint) {
  const { rows } = await admin.query(
    'select state, reason, offer_id::text as offer, check_in_code as code, no_show_at is not null as "noShow" from jobs where id = $1',
    [jobId],
  );
  return rows[0] as { state: string; reason: string; offer: string | null; code: string; noShow: boolean };
}

const PHOTO = { contentType: 'image/png', content: Buffer.from('a photo') };

/** The worker goes to a job that they have accepted, and does it. */
export async function doJob(depot: Depot, { viewer }: Expert, jobId: bigint): Promise<void> {
  const { code } = await lookAtJob(depot, jobId);
  await checkIn(depot.on.db, viewer, { jobId, code });
  await completeJob(depot.on.db, viewer, { jobId, proofs: [PHOTO] });
}

/** The worker has taken and done so many jobs today. */
export async function takeToday(depot: Depot, worker: Expert, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const jobId = await makeJob(depot);
    const given = { jobId, expertId: worker.expertId, reason: 'Already there.', preempt: false };
    await overrideAssignment(depot.on, depot.dispatcher, given);
    await doJob(depot, worker, jobId);
  }
}
