import { guessSeconds } from '../../../src/services/dispatch/place.js';
import type { Dispatch, Eta, Origin, Place } from '../../../src/services/dispatch/ports.js';
import { type Database, withService } from '../../../src/services/platform/database.js';
import { lastFixes, nearestFixes } from './latest-fixes.js';

/**
 * The last fixes in the database, and straight lines: for tests of whom a job is offered to, which say to the minute who is how far
 * away, and whose clock moves.
 */
export function straightDispatch(db: Database): Dispatch {
  const service = (tenantId: bigint) => ({ tenantId, actorId: null });
  return {
    nearby: {
      nearby: (tenantId, around) => withService(db, service(tenantId), (tx) => nearestFixes(tx, around)),
      lastSeen: (tenantId, ids) => withService(db, service(tenantId), (tx) => lastFixes(tx, ids)),
    },
    etas: { etas: async (_tenantId, { from, to }) => from.map((origin) => straightEta(origin, to)) },
  };
}

/** From a third less to a half more, and wider with the age of the fix: of roads nothing is known. */
function straightEta({ place, ageSeconds }: Origin, to: Place): Eta {
  const seconds = guessSeconds(place, to);
  return {
    seconds,
    roadSeconds: seconds,
    lowSeconds: Math.max(0, seconds / 1.5 - ageSeconds),
    highSeconds: seconds * 1.5 + ageSeconds,
    confidence: 'LOW',
    source: 'FALLBACK',
  };
}
