import { expect, test } from 'vitest';
import { createDispatchJobs } from '../../src/jobs/dispatch.js';
import { assignJob } from '../../src/services/dispatch/assign.js';
import type { Dispatch } from '../../src/services/dispatch/ports.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  lookAtOffer,
  makeCrowd,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
  offerOf,
} from '../support/dispatch.js';

// What dispatch does by itself, where decisions take long.
const t = useTestDb();

/** Whoever looks for workers waits until it is opened; counts who does at once. */
function held({ etas, nearby }: Dispatch) {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const counts = { now: 0, most: 0 };
  const dispatch: Dispatch = {
    etas,
    nearby: {
      async nearby(...args) {
        counts.now += 1;
        counts.most = Math.max(counts.most, counts.now);
        await gate;
        counts.now -= 1;
        return nearby.nearby(...args);
      },
      lastSeen: (...args) => nearby.lastSeen(...args),
    },
  };
  return { dispatch, counts, open };
}

test('offers end while decisions take long, of which there are four at once', async () => {
  const depot = await makeDepot(t);
  await makeWorker(depot);
  const { id } = await offerOf(depot, await makeJob(depot));
  await Promise.all(Array.from({ length: 9 }, () => makeJob(depot)));
  await t.advance(6);
  const { dispatch, counts, open } = held(depot.on.dispatch);
  const jobs = createDispatchJobs({
    ...{ ...depot.on, dispatch, log: createLogger('silent') },
    bus: createLocalBus(),
  });
  for (const job of jobs) {
    job.start();
  }
  try {
    await expect.poll(() => counts.now).toBe(4);
    await t.advance(20);
    await expect.poll(async () => (await lookAtOffer(depot, id)).state).toBe('EXPIRED');
    expect(counts.most).toBe(4);
  } finally {
    open();
    await Promise.all(jobs.map((job) => job.stop()));
  }
  expect(counts.most).toBe(4);
});

test('a decision whose time is up looks at nobody else, and says that there are more', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 80, minutesAway(1));
  await makeWorker(depot, { at: minutesAway(8) });
  const who = { ...actorOf(depot), until: AbortSignal.abort() };
  expect((await assignJob(depot.on, who, await makeJob(depot))).reason).toBe(
    '8 and more in range: 8 without the skill.',
  );
});
