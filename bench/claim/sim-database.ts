import type pg from 'pg';
import { connect } from '../../src/runtime/connect.js';
import { pgQueryable } from '../../src/services/platform/pg-queryable.js';
import { measurePools } from '../../src/services/routing/pools.js';
import type { Bench } from './bench.js';
import { openTasks } from './fairness.js';
import { withAdmin } from './machine.js';
import { type Held, heldOf, serve } from './serve-call.js';
import type { Day, Router, SimProject, Wait } from './sim.js';
import { type ExpertRef, makeWorld, type World } from './world.js';

const BATCH = 64;
const MEASURED_EVERY_SECONDS = 60;

/** Simulated seconds instead of the server's: everything asks app.clock_now(). */
const CLOCK = `
  create table app.sim_clock (now timestamptz not null);
  insert into app.sim_clock values (now());
  grant select on app.sim_clock to public;
  create or replace function app.clock_now() returns timestamptz language sql stable parallel safe
    as $$ select now from app.sim_clock $$`;

/** The product itself, on a database whose clock is the simulation's. */
export class InDatabase implements Router {
  private readonly held = new Map<number, Held>();
  private measuredAt = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly world: World,
    private readonly app: pg.Client,
    private readonly admin: pg.Client,
  ) {}

  static async create(bench: Bench, day: Day): Promise<InDatabase> {
    const shape = { name: 'sim', tasks: 1, projects: day.projects.length, skills: 12 };
    const world = await makeWorld(bench.machine, shape);
    await withAdmin(world.url, (admin) => setUp(admin, day, world.experts.crowd));
    const app = await connect(world.url, 'touchstone bench');
    await app.query('set role touchstone_app');
    return new InDatabase(world, app, await connect(world.url, 'touchstone bench'));
  }

  async arrive({ id }: SimProject, count: number): Promise<void> {
    await openTasks(this.admin, { tenant: this.world.tenantId, project: id, count });
  }

  async tick(seconds: number): Promise<void> {
    await this.admin.query(
      `update app.sim_clock set now = date_trunc('day', now()) + make_interval(secs => $1)`,
      [seconds],
    );
    await this.admin.query('select app.refresh_lanes(false)');
    if (seconds - this.measuredAt >= MEASURED_EVERY_SECONDS) {
      this.measuredAt = seconds;
      await measurePools(pgQueryable(this.admin));
    }
  }

  async ask(experts: readonly number[]): Promise<boolean[]> {
    const given: boolean[] = [];
    for (let from = 0; from < experts.length; from += BATCH) {
      given.push(...(await this.askBatch(experts.slice(from, from + BATCH))));
    }
    return given;
  }

  async waits(): Promise<Wait[]> {
    const { rows } = await this.admin.query<Wait>(
      `select a.project_id::int as project, extract(epoch from a.leased_at - t.created_at)::float8 as seconds, true as given
       from assignments a join tasks t on t.tenant_id = a.tenant_id and t.id = a.task_id
       join experts x on x.tenant_id = a.tenant_id and x.id = a.expert_id and x.handle like 'crowd-%'
       union all
       select r.project_id::int, extract(epoch from app.clock_now() - t.created_at)::float8, false
       from ready r join tasks t on t.tenant_id = r.tenant_id and t.id = r.task_id`,
    );
    return rows;
  }

  async end(): Promise<void> {
    await this.app.end();
    await this.admin.end();
    await this.world.drop();
  }

  private async askBatch(experts: readonly number[]): Promise<boolean[]> {
    const submits = experts.flatMap((expert) => this.held.get(expert) ?? []);
    const refs = experts.map((expert) => this.refOf(expert));
    const answered = await serve(this.app, this.world, { submits, claims: refs });
    return experts.map((expert, index) => {
      const outcome = answered.claims[index];
      const held = outcome === undefined ? null : heldOf(this.refOf(expert), outcome);
      this.held.delete(expert);
      if (held !== null) {
        this.held.set(expert, held);
      }
      return held !== null;
    });
  }

  private refOf(expert: number): ExpertRef {
    const ref = this.world.experts.crowd[expert];
    if (ref === undefined) {
      throw new Error(`There is no expert ${expert}.`);
    }
    return ref;
  }
}

/** The day's projects and experts in the place of the world's: one lane a skill, one answer a task, long leases. */
async function setUp(admin: pg.Client, day: Day, crowd: readonly ExpertRef[]): Promise<void> {
  await admin.query(CLOCK);
  await admin.query('delete from ready; delete from expert_skills; delete from flows');
  for (const { id, skill, weight } of day.projects) {
    await admin.query(
      `update projects set skill_id = $2::bigint, lane_id = 2 * $2::bigint - 1, min_quality = 0, weight = $3, redundancy = 1, lease_seconds = 28800
       where id = $1`,
      [id, skill, weight],
    );
  }
  const held = day.skills.flatMap((skills, n) =>
    skills.map((skill) => ({ expert: crowd[n]?.expertId, skill })),
  );
  await admin.query(
    `insert into expert_skills (tenant_id, expert_id, skill_id, status, quality_mean, quality_lower)
     select 1, h.expert, h.skill, 'ACTIVE', 0.9, 0.8 from jsonb_to_recordset($1::jsonb) as h(expert bigint, skill bigint)`,
    [JSON.stringify(held)],
  );
}
