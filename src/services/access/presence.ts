import type { Viewer } from './viewer.js';

/** Which experts have asked this process for anything of late: for metrics. */
export interface Presence {
  seen(viewer: Viewer): void;
  /** Experts seen in the last five minutes. */
  count(): number;
}

const RECENT_MS = 5 * 60_000;

/** Starts with nobody. It keeps at most one entry an expert, by the process's monotonic clock. */
export function createPresence(now: () => number = () => performance.now()): Presence {
  const lastSeen = new Map<string, number>();
  return {
    seen({ role, tenantId, expertId }) {
      if (role === 'EXPERT') {
        lastSeen.set(`${tenantId}/${expertId}`, now());
      }
    },
    count() {
      for (const [key, at] of lastSeen) {
        if (at < now() - RECENT_MS) {
          lastSeen.delete(key);
        }
      }
      return lastSeen.size;
    },
  };
}
