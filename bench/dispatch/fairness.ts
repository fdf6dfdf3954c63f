import { assignJob } from '../../src/services/dispatch/assign.js';
import { acceptOffer } from '../../src/services/dispatch/offers.js';
import type { Place } from '../../src/services/dispatch/ports.js';
import { setDispatchSettings } from '../../src/services/dispatch/workers.js';
import { type Database, openDatabase } from '../../src/services/platform/database.js';
import { randomOf } from '../../src/services/platform/random.js';
import {
  actorOf,
  type Depot,
  doJob,
  HERE,
  lookAtOffer,
  makeDepot,
  makeJob,
  makeWorker,
} from '../../test/support/dispatch.js';
import type { Expert } from '../../test/support/factories.js';
import { type Machine, run, TEMPLATE, withAdmin } from '../claim/machine.js';
import type { Report } from './report.js';

// What fairness costs: the same day of jobs for the same workers, with the weight of jobs taken today and without it, by the product's
// own assigning. Workers stand where they stand; half of them within some minutes of the middle, where most jobs are.

const WORKERS = 60;
const WEIGHTS = [0, 2, 8] as const;
/** Degrees of latitude that the tests' straight lines take a minute for. */
const MINUTE_DEGREES = (9 * 60) / 1.4 / 111_195;
/** Fixes are kept fresh by looking at the clock this often. */
const SEEN_EVERY_MS = 5_000;

/** Runs each day, and reports what it found. */
export async function measureFairness(machine: Machine, jobs: number, report: Report): Promise<void> {
  await run(machine.urlOf('postgres'), `create database fairness template ${TEMPLATE}`);
  const url = machine.urlOf('fairness');
  const database = openDatabase({ url });
  try {
    for (const weight of WEIGHTS) {
      const day = await dayOf(url, database, { weight, jobs });
      const what = weight === 0 ? 'off' : String(weight);
      report.say({ what: `fairness weight ${what}: share of the top tenth (%)`, value: day.topShare * 100 });
      report.say({ what: `fairness weight ${what}: mean time of arrival (min)`, value: day.meanMinutes });
    }
  } finally {
    await database.close();
  }
}

interface Day {
  /** Of the jobs, what the tenth of the workers who took most of them took. */
  readonly topShare: number;
  readonly meanMinutes: number;
}

function dayOf(
  url: string,
  database: Database,
  { weight, jobs }: { weight: number; jobs: number },
): Promise<Day> {
  return withAdmin(url, async (admin) => {
    const depot = await makeDepot({ database, admin });
    await setDispatchSettings(database, depot.operator, { fairnessWeight: weight });
    const random = randomOf(21, 'day');
    const somewhere = (minutes: number): Place => {
      const [far, angle] = [minutes * Math.sqrt(random()), random() * 2 * Math.PI];
      return {
        latitude: HERE.latitude + far * MINUTE_DEGREES * Math.sin(angle),
        longitude:
          HERE.longitude +
          (far * MINUTE_DEGREES * Math.cos(angle)) / Math.cos((HERE.latitude * Math.PI) / 180),
      };
    };
    const workers = new Map<bigint, Expert>();
    for (let n = 0; n < WORKERS; n++) {
      const worker = await makeWorker(depot, { at: somewhere(n % 2 === 0 ? 4 : 15) });
      workers.set(worker.expertId, worker);
    }
    const taken = new Map<bigint, number>();
    let seenMs = performance.now();
    for (let n = 0; n < jobs; n++) {
      if (performance.now() - seenMs > SEEN_EVERY_MS) {
        seenMs = performance.now();
        await admin.query(SEEN, [depot.tenantId]);
      }
      const expertId = await doOne(depot, workers, somewhere(n % 4 === 0 ? 12 : 4));
      taken.set(expertId, (taken.get(expertId) ?? 0) + 1);
    }
    const { rows } = await admin.query(
      'select avg(eta_seconds)::float8 / 60 as minutes from offers where tenant_id = $1 and accepted_at is not null',
      [depot.tenantId],
    );
    const counts = [...taken.values()].sort((a, b) => b - a);
    const top = counts.slice(0, WORKERS / 10).reduce((sum, count) => sum + count, 0);
    return { topShare: top / jobs, meanMinutes: rows[0].minutes };
  });
}

const SEEN =
  'update latest_fixes set device_at = app.clock_now(), received_at = app.clock_now() where tenant_id = $1';

/** A job that is asked for, offered, accepted and done. Answers by whom. */
async function doOne(depot: Depot, workers: ReadonlyMap<bigint, Expert>, place: Place): Promise<bigint> {
  const jobId = await makeJob(depot, { place, dueInSeconds: 7_200 });
  const { offerId, reason } = await assignJob(depot.on, actorOf(depot), jobId);
  if (offerId === null) {
    throw new Error(reason);
  }
  const { expertId } = await lookAtOffer(depot, offerId);
  const worker = workers.get(expertId);
  if (worker === undefined) {
    throw new Error('The offer went to nobody of this day.');
  }
  await acceptOffer(depot.on.db, worker.viewer, offerId);
  await doJob(depot, worker, jobId);
  return expertId;
}
