import { afterEach, expect, test } from 'vitest';
import { createAlerts } from '../../src/jobs/alerts.js';
import type { Job } from '../../src/jobs/loop.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { listeningLog } from '../live/waiting.js';
import { makeWorld } from '../live/world.js';
import { useTestDb } from '../support/db.js';

// The watch of alerts looks for those of work and for those of dispatch: what one of them trips over stops nothing of the other.

const ctx = useTestDb();
let job: Job | undefined;
afterEach(() => job?.stop());

/** An alert that each of them ends, for nothing is the matter. */
const ENDED_BY = {
  alerts: ['BUDGET_EXHAUSTED', 'project/1'],
  dispatch: ['JOBS_DUE_SOON', 'tenant'],
} as const;

test.each([
  ['alerts', 'dispatch'],
  ['dispatch', 'alerts'],
] as const)('a watch of %s that fails stops nothing of that of %s, and is said', async (failing, other) => {
  const { tenantId } = await makeWorld(ctx.admin, { tasks: 0, experts: 0 });
  for (const [kind, cause] of Object.values(ENDED_BY)) {
    await ctx.admin.query(`select app.raise_alert($1, $2, $3, 'WARNING', 'Something was.', '{}')`, [
      tenantId,
      kind,
      cause,
    ]);
  }
  const open = async () => {
    const { rows } = await ctx.admin.query(
      'select kind from alerts where tenant_id = $1 and resolved_at is null order by kind',
      [tenantId],
    );
    return rows.map(({ kind }) => kind);
  };
  const bus = createLocalBus();
  const poked = new Promise<void>((resolve) => void bus.onPoke(resolve));
  const { log, said } = listeningLog();
  expect(await open()).toHaveLength(2);
  await ctx.admin.query(`alter function app.watch_${failing}() rename to watch_away`);
  try {
    job = createAlerts({ db: ctx.database, bus, log });
    job.start();
    expect(JSON.stringify(await said('alerts.failed'))).toContain(`watch_${failing}`);
    await poked; // What was written has to be numbered.
    expect(await open()).toEqual([ENDED_BY[failing][0]]);
  } finally {
    await job?.stop();
    await ctx.admin.query(`alter function app.watch_away() rename to watch_${failing}`);
  }
  expect(await open()).not.toContain(ENDED_BY[other][0]);
});
