import { startMachine, run, withAdmin, TEMPLATE } from './claim/machine.js';
import { startCrowd } from './dispatch/crowd-client.js';
import { startDeciding } from './dispatch/decisions.js';
import { ID_KEY, startProcesses } from './dispatch/processes.js';
import { measureWindow } from './dispatch/window.js';
import { makeFieldWorld } from './dispatch/world.js';
const WORKERS = Number(process.argv[2] ?? 10000), RATE = Number(process.argv[3] ?? 20), SECONDS = Number(process.argv[4] ?? 20);
const machine = await startMachine();
try {
  await run(machine.urlOf('postgres'), `create database field template ${TEMPLATE}`);
  await run(machine.urlOf('postgres'), `alter database field set pg_stat_statements.track = '${process.argv[5] ?? 'top'}'`);
  const world = await makeFieldWorld(machine.urlOf('field'), WORKERS);
  const processes = await startProcesses(machine, 'field');
  const crowd = startCrowd();
  await crowd.tell({ kind: 'gather', crowd: { url: processes.ingest.url, dataDir: processes.dataDir, idKey: ID_KEY, slug: world.slug,
    workers: world.workers.map(({ subject, expertId }) => ({ subject, expertId: String(expertId) })), socketed: 0 } });
  await measureWindow({ processes, crowd }, { forMs: 21000, posts: true, sockets: false });
  const deciding = await startDeciding(processes, world);
  await deciding.decide(5, 4000);
  await run(machine.urlOf('field'), 'select pg_stat_statements_reset()');
  const before = processes.cpu();
  let d: any;
  const w = await measureWindow({ processes, crowd }, { forMs: SECONDS * 1000, posts: true, sockets: false }, async () => { d = await deciding.decide(RATE, SECONDS * 1000); });
  const after = processes.cpu();
  console.log(JSON.stringify(d), JSON.stringify(w.cores), w.perSecond);
  console.log('per decision ms cpu', (after.serve - before.serve) * 1000 / d.asked, (after.database - before.database) * 1000 / d.asked);
  await withAdmin(machine.urlOf('field'), async (c) => {
    const { rows } = await c.query(`select left(regexp_replace(query, '\\s+', ' ', 'g'), 150) as q, calls, round(total_exec_time::numeric,1) as ms, round((total_exec_time/calls)::numeric,3) as each, round(total_plan_time::numeric,1) as plan, shared_blks_hit/calls as hit, wal_bytes/calls as wal from pg_stat_statements order by total_exec_time + total_plan_time desc limit 40`);
    for (const r of rows) console.log(r.ms, r.plan, r.calls, r.each, r.hit, r.wal, r.q);
  });
  await deciding.close(); await crowd.tell({ kind: 'leave' }); crowd.stop(); await processes.stop();
} finally { await machine.stop(); }
process.exit(0);
