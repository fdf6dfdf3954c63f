import { DEVELOPMENT_ISSUER } from '../../src/services/access/development-key.js';
import { ensureTenant } from '../../src/services/access/people.js';
import { projectLeases } from '../../src/services/events/streams.js';
import { openDatabase } from '../../src/services/platform/database.js';
import { createTaskType } from '../../src/services/tasks/task-type-store.js';
import { withAdmin } from '../claim/machine.js';

/** A tenant with projects whose leases are watched, and operators who watch. */
export interface WatchedWorld {
  readonly url: string;
  readonly slug: string;
  readonly tenantId: bigint;
  readonly projectIds: readonly bigint[];
  /** Subjects of the operators. */
  readonly operators: readonly string[];
}

const SLUG = 'bench';

export async function makeWatchedWorld(
  url: string,
  { topics, operators }: { topics: number; operators: number },
): Promise<WatchedWorld> {
  const tenantId = await makeTenant(url);
  return withAdmin(url, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `with customer as (insert into customers (tenant_id, name) values ($1, 'Ada') returning id),
            skill as (insert into skills (tenant_id, name) values ($1, 'reading') returning id),
            lane as (insert into lanes (tenant_id, skill_id, min_quality) select $1, id, 0 from skill returning id)
       insert into projects (tenant_id, customer_id, name, task_type_id, skill_id, lane_id, min_quality, price_minor, currency,
                             redundancy, weight, lease_seconds, idempotency_key, request_digest)
       select $1, customer.id, 'project-' || n, (select id from task_types where tenant_id = $1), skill.id, lane.id, 0, 25, 'EUR',
              1, 10, 1800, 'key-' || n, 'bench'
       from customer, skill, lane, generate_series(1, $2) n returning id`,
      [tenantId, topics],
    );
    await client.query(
      `with person as (
         insert into identities (tenant_id, issuer, subject, display_name)
         select $1, $2, 'operator-' || n, 'operator' from generate_series(1, $3) n returning id
       )
       insert into identity_roles (tenant_id, identity_id, role) select $1, id, 'OPERATOR' from person`,
      [tenantId, DEVELOPMENT_ISSUER, operators],
    );
    await client.query('analyze');
    return {
      url,
      slug: SLUG,
      tenantId,
      projectIds: rows.map(({ id }) => BigInt(id)),
      operators: Array.from({ length: operators }, (_, n) => `operator-${n + 1}`),
    };
  });
}

async function makeTenant(url: string): Promise<bigint> {
  const db = openDatabase({ url });
  try {
    const tenantId = await ensureTenant(db, { slug: SLUG, name: 'Bench' });
    const definition = { kind: 'SINGLE_CHOICE', options: [{ value: 'yes' }, { value: 'no' }] };
    const operator = {
      tenantId,
      tenantSlug: SLUG,
      identityId: 0n,
      displayName: '',
      role: 'OPERATOR',
    } as const;
    await createTaskType(
      db,
      {
        ...operator,
        customerId: null,
        expertId: null,
        expiresAtMs: Number.MAX_SAFE_INTEGER,
        requestId: 'bench',
      },
      { name: 'choice', definition, instructions: '', customerId: null },
    );
    return tenantId;
  } finally {
    await db.close();
  }
}

/** Writes events as changes of leases do, evenly over the topics. */
export interface Writing {
  /** Stops; answers how many events each topic got at least and at most. */
  stop(): Promise<{ least: number; most: number }>;
}

const BEAT_MS = 20;

/** One event a second in each of the first `topics` projects. A transaction each beat. */
export async function startWriting(
  world: WatchedWorld,
  { topics, aSecond = 1 }: { topics: number; aSecond?: number },
): Promise<Writing> {
  const streams = world.projectIds.slice(0, topics).map(projectLeases);
  const beganMs = performance.now();
  let written = 0;
  let stopped = false;
  const writing = withAdmin(world.url, async (client) => {
    while (!stopped) {
      const due = Math.floor(((performance.now() - beganMs) / 1000) * topics * aSecond);
      const names = Array.from({ length: due - written }, (_, n) => streams[(written + n) % topics]);
      if (names.length > 0) {
        await client.query({
          name: 'events',
          text: `insert into stream_events (tenant_id, stream, kind, body)
                 select $1, s, 'SUBMITTED', jsonb_build_object('assignmentId', 100000 + n, 'taskId', 200000 + n,
                   'projectId', split_part(s, '/', 3)::bigint, 'batchId', 1, 'expertId', 7, 'epoch', 1, 'leaseUntil', app.clock_now())
                 from unnest($2::text[]) with ordinality u(s, n)`,
          values: [world.tenantId, names],
        });
        written = due;
      }
      await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
    }
  });
  writing.catch(() => undefined); // Told to whoever stops it.
  return {
    async stop() {
      stopped = true;
      await writing;
      return { least: Math.floor(written / topics), most: Math.ceil(written / topics) };
    },
  };
}
