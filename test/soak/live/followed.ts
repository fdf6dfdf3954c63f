import type pg from 'pg';
import { createCursorCodec } from '../../../src/live/cursor.js';
import { LEASE_EVENT_KINDS } from '../../../src/live/lease-events.js';
import { QUALITY_EVENT_KINDS } from '../../../src/live/quality-events.js';
import {
  expertLeases,
  expertPayouts,
  projectForecasts,
  projectLeases,
  projectRisk,
  STAFF_QUALITY,
} from '../../../src/services/events/streams.js';
import type { IdCodec } from '../../../src/services/platform/ids.js';
import { type Change, LogRecord, StateRecord } from './record.js';
import type { Followed } from './subscriber.js';

/** The tenant that is followed, and what its ids and cursors are made with. */
export interface Place {
  readonly admin: pg.Pool;
  readonly tenantId: bigint;
  readonly ids: IdCodec;
  readonly secret: string;
}

interface Whom {
  readonly token: string;
  readonly projectId?: bigint;
  readonly expertId?: bigint;
}

/** The leases of a project: what was heard makes up who holds what. */
export function leasesOfProject(place: Place, { token, projectId = 0n }: Whom): Followed {
  const log = logOf(place, { stream: projectLeases(projectId), kinds: LEASE_EVENT_KINDS });
  return {
    ...log,
    name: 'leaseEvents of a project',
    field: 'leaseEvents',
    query: `subscription($id: ID, $after: String) { leaseEvents(projectId: $id, after: $after) {
      cursor reset kind assignmentId taskId leaseUntil } }`,
    variables: { id: place.ids.encode('Project', projectId) },
    token,
    async difference() {
      const held = new Set<string>();
      for (const { kind, assignmentId } of [...log.record.state, ...log.record.changes.map((c) => c.item)]) {
        if (kind === 'LEASED' || kind === 'EXPIRING') {
          held.add(String(assignmentId));
        } else {
          held.delete(String(assignmentId));
        }
      }
      const sql = `select id from assignments where tenant_id = $1 and project_id = $2 and state = 'LEASED'`;
      const { rows } = await place.admin.query(sql, [place.tenantId, projectId]);
      const there = rows.map(({ id }) => place.ids.encode('Assignment', BigInt(id)));
      return (await log.gaps()) ?? unequal(sorted(held), sorted(there));
    },
  };
}

/** What happens to the leases of one expert without their doing. */
export function leasesOfExpert(place: Place, { token, expertId = 0n }: Whom): Followed {
  const log = logOf(place, { stream: expertLeases(expertId), kinds: LEASE_EVENT_KINDS });
  return {
    ...log,
    name: 'leaseEvents of an expert',
    field: 'leaseEvents',
    query: `subscription($after: String) { leaseEvents(after: $after) { cursor reset kind assignmentId at } }`,
    variables: {},
    token,
    difference: log.gaps,
  };
}

/** What is booked for an expert: the balance told last. */
export function payouts(place: Place, { token, expertId = 0n }: Whom): Followed {
  const log = logOf(place, { stream: expertPayouts(expertId), kinds: ['POSTED'] });
  const minor = (item: { readonly [field: string]: unknown } | undefined, field: string) =>
    Number((item?.[field] as { minorUnits: string } | null | undefined)?.minorUnits ?? 0);
  return {
    ...log,
    name: 'payoutEvents',
    field: 'payoutEvents',
    query: `subscription($after: String) { payoutEvents(after: $after) { cursor reset kind balance { minorUnits } } }`,
    variables: {},
    token,
    async difference() {
      const told = minor(log.record.changes.at(-1)?.item ?? log.record.state.at(-1), 'balance');
      const sql = `select coalesce(sum(amount_minor), 0)::int as owed from payouts where tenant_id = $1 and expert_id = $2`;
      const { rows } = await place.admin.query(sql, [place.tenantId, expertId]);
      return (await log.gaps()) ?? unequal(told, rows[0].owed);
    },
  };
}

/** What becomes of quality in the tenant: who stands how. */
export function quality(place: Place, { token }: Whom): Followed {
  const log = logOf(place, { stream: STAFF_QUALITY, kinds: QUALITY_EVENT_KINDS });
  return {
    ...log,
    name: 'qualityEvents',
    field: 'qualityEvents',
    query: `subscription($after: String) { qualityEvents(after: $after) { cursor reset kind expertId phase } }`,
    variables: {},
    token,
    async difference() {
      const standings = new Map(
        log.record.changes
          .filter(({ item }) => item.kind === 'STANDING')
          .map(({ item }) => [item.expertId, item.phase]),
      );
      const sql = `select distinct on (n.expert_id) n.expert_id as who, n.phase from standing_notices n
                   where n.tenant_id = $1 order by n.expert_id, n.id desc`;
      const { rows } = await place.admin.query(sql, [place.tenantId]);
      const wrong = rows.filter(({ who, phase }) => {
        const heard = standings.get(place.ids.encode('Expert', BigInt(who)));
        return heard !== undefined && heard !== phase;
      });
      return (await log.gaps()) ?? unequal(wrong, []);
    },
  };
}

/** How far a project has come. */
export function progress(place: Place, { token, projectId = 0n }: Whom): Followed {
  const record = stateOf(place, projectLeases(projectId));
  return {
    record,
    name: 'projectProgress',
    field: 'projectProgress',
    query: `subscription($id: ID!, $after: String) { projectProgress(projectId: $id, after: $after) {
      cursor reset progress { tasksTotal tasksDone leased answersCounted } spent { minorUnits } } }`,
    variables: { id: place.ids.encode('Project', projectId) },
    token,
    async difference() {
      const sql = `
        select (select count(*) from tasks where tenant_id = $1 and project_id = $2 and kind = 'WORK')::int as "tasksTotal",
               (select count(*) from tasks where tenant_id = $1 and project_id = $2 and kind = 'WORK' and state = 'DONE')::int as "tasksDone",
               (select count(*) from assignments where tenant_id = $1 and project_id = $2 and state = 'LEASED')::int as "leased",
               (select count(*) from answers where tenant_id = $1 and project_id = $2)::int as "answersCounted",
               (select coalesce(sum(amount_minor), 0) from payouts where tenant_id = $1 and project_id = $2)::text as "spent"`;
      const { rows } = await place.admin.query(sql, [place.tenantId, projectId]);
      const item = record.newest?.item;
      const spent = (item?.spent as { minorUnits: string } | undefined)?.minorUnits;
      return unequal({ ...(item?.progress as object), spent }, rows[0]);
    },
  };
}

/** When a project will be done: how much each open batch still wants, as it was forecast last. */
export function forecast(place: Place, { token, projectId = 0n }: Whom): Followed {
  const record = stateOf(place, projectForecasts(projectId));
  return {
    record,
    name: 'forecast',
    field: 'forecast',
    query: `subscription($id: ID!, $after: String) { forecast(projectId: $id, after: $after) {
      cursor reset batches { forecast { remainingAnswers } } } }`,
    variables: { id: place.ids.encode('Project', projectId) },
    token,
    async difference() {
      // Of which nothing could be said when it was stored, the present is told, and what is stored may be of long before.
      const sql = `
        select f.remaining::int as n, case when f.seconds is null then (select coalesce(sum(t.wanted - t.counted), 0)::int from tasks t
            where t.tenant_id = f.tenant_id and t.batch_id = f.batch_id and t.state = 'OPEN') end as present
        from forecasts f join batches b on b.tenant_id = f.tenant_id and b.id = f.batch_id
        where f.tenant_id = $1 and f.project_id = $2 and b.state = 'OPEN' order by f.batch_id`;
      const { rows } = await place.admin.query(sql, [place.tenantId, projectId]);
      const batches = (record.newest?.item.batches ?? []) as { forecast: { remainingAnswers: number } }[];
      const heard = batches.map((batch) => batch.forecast.remainingAnswers);
      const found = unequal(
        heard,
        rows.map(({ n, present }, batch) => (heard[batch] === present ? present : n)),
      );
      return found && `${found} as of number ${record.newest?.seq}`;
    },
  };
}

/** Which batches are at risk. What waits shrinks to the newest of a batch, so that numbers may be left out. */
export function risk(place: Place, { token, projectId = 0n }: Whom): Followed {
  const log = logOf(place, { stream: projectRisk(projectId), kinds: [] });
  return {
    ...log,
    name: 'deadlineRisk',
    field: 'deadlineRisk',
    query: `subscription($id: ID!, $after: String) { deadlineRisk(projectId: $id, after: $after) {
      cursor reset batchId atRisk } }`,
    variables: { id: place.ids.encode('Project', projectId) },
    token,
    async difference() {
      const heard = new Map<unknown, unknown>();
      for (const { batchId, atRisk } of [...log.record.state, ...log.record.changes.map((c) => c.item)]) {
        heard.set(batchId, atRisk);
      }
      const sql = `select batch_id as id, at_risk as risk from forecasts where tenant_id = $1 and project_id = $2`;
      const { rows } = await place.admin.query(sql, [place.tenantId, projectId]);
      const there = rows.map(({ id, risk }) => [place.ids.encode('Batch', BigInt(id)), risk]);
      return unequal(
        there.map(([id]) => [id, heard.get(id) ?? false]),
        there,
      );
    },
  };
}

function logOf(place: Place, { stream, kinds }: { stream: string; kinds: readonly string[] }) {
  const record = new LogRecord(createCursorCodec(place.secret, { tenantId: place.tenantId, stream }));
  return { record, gaps: () => gapsOf(place, { stream, kinds, record }) };
}

function stateOf(place: Place, stream: string): StateRecord {
  return new StateRecord(createCursorCodec(place.secret, { tenantId: place.tenantId, stream }));
}

/** What the stream has after the state that was told, and whether just that was heard. */
async function gapsOf(
  { admin, tenantId }: Place,
  { stream, kinds, record }: { stream: string; kinds: readonly string[]; record: LogRecord },
): Promise<string | null> {
  if (record.begun === null) {
    return 'the state has not been told yet';
  }
  const sql = `select seq::int, kind from stream_events
               where tenant_id = $1 and stream = $2 and seq > $3 and kind = any($4) order by seq`;
  const { rows } = await admin.query(sql, [tenantId, stream, record.begun, kinds]);
  const heard = record.changes.map(({ seq, item }: Change) => [seq, item.kind]);
  return unequal(
    heard,
    rows.map(({ seq, kind }) => [seq, kind]),
  );
}

function unequal(heard: unknown, there: unknown): string | null {
  const [told, stored] = [JSON.stringify(heard), JSON.stringify(there)];
  return told === stored ? null : `heard ${told}, stored ${stored}`;
}

const sorted = (all: Iterable<string>) => [...all].sort();
