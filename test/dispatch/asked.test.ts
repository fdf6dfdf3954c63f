import { expect, test } from 'vitest';
import { type Assigned, assignJob } from '../../src/services/dispatch/assign.js';
import type { Etas, Place } from '../../src/services/dispatch/ports.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  makeCrowd,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
} from '../support/dispatch.js';

// Of whom the router is asked, where many have no way there: as many as there may be, however few each look had of them.
const t = useTestDb();

/** A river: from what lies nearer than so many minutes no road leads there. Counts of how many it was asked. */
function river(etas: Etas, minutes: number) {
  const asked = { count: 0 };
  const isNear = ({ latitude }: Place) => latitude < minutesAway(minutes).latitude;
  const behind: Etas = {
    async etas(tenantId, way) {
      asked.count += way.from.length;
      const all = await etas.etas(tenantId, way);
      return way.from.map((from, n) => (isNear(from.place) ? null : (all[n] ?? null)));
    },
  };
  return { asked, etas: behind };
}

const assignOver = (depot: Depot, etas: Etas, jobId: bigint): Promise<Assigned> =>
  assignJob({ ...depot.on, dispatch: { ...depot.on.dispatch, etas } }, actorOf(depot), jobId);

test('looks that had one each who may go leave enough to ask of for the look that has the one who can', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 41, minutesAway(1));
  await makeCrowd(depot, 559, { ...minutesAway(2), ageSeconds: 60 });
  await makeCrowd(depot, 499, { ...minutesAway(3), ageSeconds: 60 });
  await makeCrowd(depot, 1, minutesAway(3));
  const able = await makeWorker(depot, { at: minutesAway(8) });
  const { asked, etas } = river(depot.on.dispatch.etas, 5);
  const jobId = await makeJob(depot, { skillIds: [] });
  const { offerId, reason } = await assignOver(depot, etas, jobId);
  expect(reason).toBeNull();
  const { rows } = await t.admin.query('select expert_id::text as expert from offers where id = $1', [
    offerId,
  ]);
  expect(rows).toEqual([{ expert: String(able.expertId) }]);
  expect(asked.count).toBe(43);
});

test('a look that was in vain takes nobody from the next one, seconds later', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 300, minutesAway(1));
  const { asked, etas } = river(depot.on.dispatch.etas, 5);
  const jobId = await makeJob(depot, { skillIds: [] });
  const inVain = await assignOver(depot, etas, jobId);
  expect(inVain.reason).toBe('300 in range: 160 without a way there, 140 farther than those who were asked.');
  expect(asked.count).toBe(160);
  expect((await assignOver(depot, etas, jobId)).reason).toBe(inVain.reason);
  expect(asked.count).toBe(320);
  // A bridge.
  expect((await assignJob(depot.on, actorOf(depot), jobId)).reason).toBeNull();
});
