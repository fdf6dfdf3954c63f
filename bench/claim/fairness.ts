import pg from 'pg';
import type { Bench } from './bench.js';
import { withMarks } from './lanes.js';
import { withAdmin } from './machine.js';
import { REDUNDANCY } from './populate.js';
import { type Held, heldOf, serve } from './serve-call.js';
import { type ExpertRef, makeWorld, type World } from './world.js';

const WEIGHTS = [10, 20, 20, 30, 40] as const;
const TASKS = 5_000;
const CLAIMS = 6_000;
const WINDOW = 1_000;
const BATCH = 8;

const sumOf = (weights: readonly number[]) => weights.reduce((a, b) => a + b, 0);

/** Projects of different weights, all with more work than can be done, and one that comes late: in one lane, and each in its own. */
export async function measureFairness(bench: Bench): Promise<void> {
  await measureShares(bench, false);
  await measureShares(bench, true);
}

/** Of lanes apart one waits with what it has begun until it is next: two tasks' answers are what may be off. */
const APART_MAX = (2 * REDUNDANCY * sumOf(WEIGHTS)) / (WINDOW * Math.min(...WEIGHTS));

async function measureShares(bench: Bench, isApart: boolean): Promise<void> {
  const where = isApart ? 'a lane each' : 'one lane';
  const world = await makeWorld(bench.machine, { name: 'fairness', tasks: 1, projects: 1, skills: 1 });
  try {
    await withAdmin(world.url, (admin) => admin.query('delete from ready'));
    const projects = await withAdmin(world.url, (admin) => openProjects(admin, WEIGHTS));
    if (isApart) {
      await withAdmin(world.url, moveApart);
    }
    const crowd = new Crowd(world);
    await withMarks(world.url, async () => {
      const taken = await crowd.claim(CLAIMS);
      const worst = worstError(taken, projects);
      bench.figure({
        ...(isApart ? {} : { name: 'fairnessMaxError' as const }),
        what: `most off its share in any 1,000 claims, ${where}`,
        value: worst.error,
        max: isApart ? APART_MAX : 0.05,
        note: `weight ${worst.weight}: ${worst.count} of ${WINDOW}, ideal ${worst.ideal.toFixed(1)}; ${CLAIMS} claims`,
      });
      const late = await withAdmin(world.url, (admin) => openProjects(admin, [10]));
      const after = (await crowd.claim(2 * sumOf(WEIGHTS))).indexOf(late[0]?.id ?? 0) + 1;
      bench.figure({
        what: `claims until a late project’s first task, ${where}`,
        value: after === 0 ? Number.POSITIVE_INFINITY : after,
        max: sumOf(WEIGHTS) + 10,
        note: `the bar is the sum of weights; in shares of its own weight ${sumOf(WEIGHTS) / 10}`,
      });
    });
    await crowd.end();
  } finally {
    await world.drop();
  }
}

/** Each project asks for a tag of its own, which everybody has, and stands in the lane of that. */
async function moveApart(admin: pg.Client): Promise<void> {
  await admin.query(`
    insert into lanes (tenant_id, skill_id, min_quality, tags)
    select p.tenant_id, p.skill_id, p.min_quality, array['t' || p.id] from projects p where p.name = 'weighted';
    update projects p set lane_id = l.id, tags = l.tags from lanes l where p.name = 'weighted' and l.tags = array['t' || p.id];
    update ready r set lane_id = p.lane_id from projects p where p.id = r.project_id;
    update flows f set lane_id = p.lane_id from projects p where p.id = f.project_id and p.name = 'weighted';
    update experts x set tags = (select array_agg(l.tags[1] order by l.tags[1]) from lanes l where l.tags <> '{}')`);
}

interface Project {
  readonly id: number;
  readonly weight: number;
}

/** Projects of these weights in the world's first lane, their tasks opened as storing opens them. */
export async function openProjects(admin: pg.Client, weights: readonly number[]): Promise<Project[]> {
  const opened: Project[] = [];
  for (const weight of weights) {
    const { rows } = await admin.query(
      `insert into projects (tenant_id, customer_id, name, task_type_id, skill_id, lane_id, min_quality, price_minor, currency,
         redundancy, weight, lease_seconds, idempotency_key, request_digest)
       select tenant_id, customer_id, 'weighted', task_type_id, skill_id, lane_id, min_quality, price_minor, currency, redundancy,
         $1, lease_seconds, 'weighted-' || (select count(*) from projects), request_digest
       from projects where id = 1 returning id::int, tenant_id::int as tenant`,
      [weight],
    );
    const { id, tenant } = rows[0] as { id: number; tenant: number };
    await openTasks(admin, { tenant, project: id, count: TASKS });
    opened.push({ id, weight });
  }
  return opened;
}

/** A batch of a project, opened whole. */
export async function openTasks(
  admin: pg.Client,
  { tenant, project, count }: { tenant: number; project: number; count: number },
): Promise<void> {
  const { rows } = await admin.query(
    `insert into batches (tenant_id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count,
       idempotency_key, content_digest, stored_at)
     select $1::bigint, id, customer_id, 'batch', 'OPEN', 'JSONL', 'raw', 0, $3::bigint, $3::bigint, gen_random_uuid()::text, 'bench', app.clock_now()
     from projects where tenant_id = $1 and id = $2 returning id`,
    [tenant, project, count],
  );
  const { rows: refused } = await admin.query(
    `select * from app.enqueue_tasks($1::bigint, $2::bigint, (select jsonb_agg(jsonb_build_object('line', n, 'payloadKey', 'payloads/' || n,
       'payloadBytes', 2, 'contentType', 'application/json')) from generate_series(1, $3::int) n))`,
    [tenant, rows[0]?.id, count],
  );
  if (refused.length > 0) {
    throw new Error(`A task was refused: ${refused[0]?.reason}`);
  }
}

/** Experts who claim and answer by turns, a few at a time. */
class Crowd {
  private readonly free: ExpertRef[];
  private held: Held[] = [];
  private client: pg.Client | undefined;

  constructor(private readonly world: World) {
    this.free = [...world.experts.crowd];
  }

  /** @returns the projects whose tasks were given, in their order */
  async claim(count: number): Promise<number[]> {
    this.client ??= await connected(this.world.url);
    const taken: number[] = [];
    while (taken.length < count) {
      const experts = this.free.splice(0, BATCH);
      const { claims } = await serve(this.client, this.world, { submits: this.held, claims: experts });
      this.free.push(...this.held.map(({ expert }) => expert));
      this.held = experts.map((expert, index) => {
        const outcome = claims[index];
        const given = outcome === undefined ? null : heldOf(expert, outcome);
        if (given === null) {
          throw new Error(`${expert.subject} was answered ${outcome?.outcome}.`);
        }
        return given;
      });
      taken.push(...this.held.map(({ projectId }) => projectId));
    }
    return taken;
  }

  async end(): Promise<void> {
    await this.client?.end();
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c role=touchstone_app -c TimeZone=UTC' });
  await client.connect();
  return client;
}

/** Over every window of a thousand claims that follow each other, and every project. */
function worstError(taken: readonly number[], projects: readonly Project[]) {
  const total = sumOf(projects.map(({ weight }) => weight));
  let worst = { error: 0, weight: 0, count: 0, ideal: 0 };
  for (const { id, weight } of projects) {
    const ideal = (WINDOW * weight) / total;
    let count = taken.slice(0, WINDOW).filter((project) => project === id).length;
    for (let end = WINDOW; end <= taken.length; end++) {
      const error = Math.abs(count - ideal) / ideal;
      worst = error > worst.error ? { error, weight, count, ideal } : worst;
      count += Number(taken[end] === id) - Number(taken[end - WINDOW] === id);
    }
  }
  return worst;
}
