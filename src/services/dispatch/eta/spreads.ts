import type { Logger } from 'pino';
import type { Database } from '../../platform/database.js';
import { pgQueryable } from '../../platform/pg-queryable.js';
import { Recent } from '../../platform/recent.js';
import type { Eta } from '../ports.js';
import { ARRIVALS_MAX, both, FIRST_SPREADS, type Spread, spreadOf } from './band.js';
import * as sql from './spreads.sql.js';

type Confidence = Eta['confidence'];

/** How far a tenant's arrivals have been from what was said. */
export interface Spreads {
  /** At once: what was known when it was last looked, not longer ago than a minute while somebody asks. */
  of(tenantId: bigint, confidence: Confidence): Spread;
  /** What the router said of a way that was estimated without it as well: how wrong estimates are, before anybody arrives by one. */
  compare(tenantId: bigint, routerOverEstimate: number): void;
}

const LOOK_EVERY_MS = 60_000;
const TENANTS_MAX = 1_000;

interface Tenant {
  lookedMs: number;
  arrivals: Readonly<Partial<Record<Confidence, Spread>>>;
  /** Router over estimate, the latest {@link ARRIVALS_MAX} of them, written round. */
  compared: number[];
  next: number;
  estimate: Spread | null;
}

/** Reads arrivals of accepted offers, of tenants whose ETAs are asked for. */
export function createSpreads({
  db,
  log,
  monotonicMs = () => performance.now(),
}: {
  db: Pick<Database, 'systemPool'>;
  log: Logger;
  /** A clock that never goes back, in milliseconds. */
  monotonicMs?: () => number;
}): Spreads {
  const tenants = new Recent<bigint, Tenant>(TENANTS_MAX);
  const tenantOf = (tenantId: bigint): Tenant =>
    tenants.get(tenantId) ??
    tenants.keep(tenantId, {
      lookedMs: Number.NEGATIVE_INFINITY,
      arrivals: {},
      compared: [],
      next: 0,
      estimate: null,
    });

  async function look(tenantId: bigint, tenant: Tenant): Promise<void> {
    const rows = await sql.arrivals(pgQueryable(db.systemPool), tenantId, ARRIVALS_MAX);
    const spread = (wanted: Confidence) =>
      spreadOf(rows.filter(({ confidence }) => confidence === wanted).map(({ ratio }) => ratio));
    const found = { HIGH: spread('HIGH'), LOW: spread('LOW') };
    tenant.arrivals = Object.fromEntries(Object.entries(found).filter(([, of]) => of !== null));
  }

  return {
    of(tenantId, confidence) {
      const tenant = tenantOf(tenantId);
      const now = monotonicMs();
      if (now - tenant.lookedMs >= LOOK_EVERY_MS) {
        tenant.lookedMs = now;
        tenant.estimate = spreadOf(tenant.compared);
        look(tenantId, tenant).catch((error: unknown) => log.warn({ err: error }, 'eta.arrivals_not_read'));
      }
      return spreadFor(confidence, tenant);
    },
    compare(tenantId, ratio) {
      const tenant = tenantOf(tenantId);
      tenant.compared[tenant.next] = ratio;
      tenant.next = (tenant.next + 1) % ARRIVALS_MAX;
    },
  };
}

/** An estimate is wrong as the router is, and by how far it is from the router besides. */
function spreadFor(confidence: Confidence, { arrivals, estimate }: Tenant): Spread {
  const high = arrivals.HIGH ?? FIRST_SPREADS.HIGH;
  if (confidence === 'HIGH') {
    return high;
  }
  return arrivals.LOW ?? (estimate === null ? FIRST_SPREADS.LOW : both(high, estimate));
}
