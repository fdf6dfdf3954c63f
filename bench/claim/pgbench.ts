import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Machine, run, withAdmin } from './machine.js';

// The seed's own SQL, by pgbench, on the server of the run: the measure that ours stands beside. Its scripts are read
// where TOUCHSTONE_ANCHORS says (a folder with queue/pgb/seed_*.sql) and are no part of this repository.

export const ANCHORS = join(process.env.TOUCHSTONE_ANCHORS ?? '../shared/anchors', 'queue');
const SCRIPTS = { cycle: 'seed_cycle_zipf.sql', claim: 'seed_claim_zipf.sql' } as const;
export type Script = keyof typeof SCRIPTS;

/** Where pgbench's figures come from, or why there are none. */
export type Pgbench = { readonly program: string } | { readonly missing: string };

/** Debian's, of the latest version that is there; null: none is. */
export function pgbenchProgram(): string | null {
  const root = '/usr/lib/postgresql';
  const found = (existsSync(root) ? readdirSync(root) : [])
    .map((version) => `${root}/${version}/bin/pgbench`)
    .filter((path) => existsSync(path));
  return found.at(-1) ?? (existsSync('/usr/bin/pgbench') ? '/usr/bin/pgbench' : null);
}

export function findPgbench(): Pgbench {
  const absent = Object.values(SCRIPTS).find((script) => !existsSync(join(ANCHORS, 'pgb', script)));
  if (absent !== undefined) {
    return { missing: `not run: no ${absent} in ${join(ANCHORS, 'pgb')} (set TOUCHSTONE_ANCHORS)` };
  }
  const program = pgbenchProgram();
  return program === null
    ? { missing: 'not run: no pgbench (apt-get update && apt-get install -y postgresql-contrib)' }
    : { program };
}

/** The seed's tables in a database of their own, filled again whenever a run would have emptied too much of them. */
export class Seed {
  private used = Number.POSITIVE_INFINITY;

  constructor(
    private readonly machine: Machine,
    private readonly program: string,
    private readonly tasks: number,
  ) {}

  private get url(): string {
    return this.machine.urlOf('bench_seed');
  }

  static async create(machine: Machine, program: string, tasks: number): Promise<Seed> {
    await run(machine.urlOf('postgres'), 'create database bench_seed');
    return new Seed(machine, program, tasks);
  }

  /** One run of that many seconds. CPU is the server's alone, in microseconds a transaction. */
  async measure(
    script: Script,
    clients: number,
    seconds: number,
  ): Promise<{ perSecond: number; cpuUs: number }> {
    if (this.used > this.tasks / 5) {
      await this.fill();
    }
    const { hostname, port, username, password } = new URL(this.url);
    const before = this.machine.cpuSeconds();
    const { stdout } = await promisify(execFile)(
      this.program,
      [
        ...['-h', hostname, '-p', port, '-U', username, '-n', '-M', 'prepared'],
        ...['-c', String(clients), '-j', String(Math.min(2, clients)), '-T', String(seconds)],
        ...['-f', join(ANCHORS, 'pgb', SCRIPTS[script]), 'bench_seed'],
      ],
      { env: { ...process.env, PGPASSWORD: password } },
    );
    const cpu = this.machine.cpuSeconds() - before;
    const done = Number(/number of transactions actually processed: (\d+)/.exec(stdout)?.[1]);
    const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
    this.used += done;
    return { perSecond, cpuUs: (cpu * 1e6) / done };
  }

  async drop(): Promise<void> {
    await run(this.machine.urlOf('postgres'), 'drop database bench_seed with (force)');
  }

  private async fill(): Promise<void> {
    const file = join(ANCHORS, 'sql', 'seed_schema.sql');
    const text = existsSync(file) ? readFileSync(file, 'utf8') : SAME_SHAPE;
    await withAdmin(this.url, async (client) => {
      for (const statement of text
        .replaceAll(/--.*$/gm, '')
        .replaceAll(/:n\b/g, String(this.tasks))
        .split(';')) {
        if (statement.trim() !== '') {
          await client.query(statement);
        }
      }
    });
    this.used = 0;
  }
}

/** Tables that the seed's scripts fit, with open tasks by Zipf's law over 50 skills. */
const SAME_SHAPE = `
  drop table if exists payouts, assignments, tasks;
  create table tasks (id bigserial primary key, project_id bigint not null, status text not null, skill text not null,
    priority int not null, claimed_by bigint, lease_until timestamptz, created_at timestamptz not null default now());
  create table assignments (id bigserial primary key, task_id bigint not null, expert_id bigint not null, answer jsonb,
    submitted_at timestamptz not null default now(), unique (task_id, expert_id));
  create table payouts (assignment_id bigint primary key, expert_id bigint not null, amount_cents int not null,
    created_at timestamptz not null default now());
  insert into tasks (project_id, status, skill, priority, created_at)
  select 1 + n % 200, 'open', 's' || k, n % 5, now() - n % 864000 * interval '1 second'
  from generate_series(1, 50) k cross join lateral generate_series(1, ceil(:n / k / 4.49920534)::int) n
  order by hashint8(n * 50 + k);
  create index tasks_claim on tasks (skill, priority desc, created_at) where status = 'open';
  vacuum (analyze) tasks;
  checkpoint`;
