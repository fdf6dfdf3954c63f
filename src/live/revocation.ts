import type { Logger } from 'pino';
import { revokedOf, type Standing } from '../services/access/standing.js';
import type { Database } from '../services/platform/database.js';
import { createRepeatingTask } from './repeating-task.js';

/** Sees to it that nobody goes on listening in a role that was taken from them. */
export interface RevocationWatch {
  /** Calls `onRevoked`, once, soon after the viewer's role is gone. @returns what stops watching */
  watch(viewer: Standing, onRevoked: () => void): () => void;
  close(): Promise<void>;
}

/** A role that was taken away ends what it listened to within this time and that of a look, together under 5 s. */
const LOOK_EVERY_MS = 2_500;
/** Asked of by one statement. */
const AT_ONCE = 5_000;

interface Watched {
  readonly standing: Standing;
  readonly listeners: Set<() => void>;
}

/** Looks every few seconds whether those who listen still have their roles: all of them by one statement. */
export function createRevocationWatch({ db, log }: { db: Database; log: Logger }): RevocationWatch {
  const all = new Map<string, Watched>();
  let toLookAt: Watched[] = [];

  async function look(): Promise<void> {
    const some = toLookAt.slice(0, AT_ONCE);
    const revoked = await revokedOf(
      db,
      some.map(({ standing }) => standing),
    );
    toLookAt = toLookAt.slice(some.length);
    for (const index of revoked) {
      for (const onRevoked of [...(some[index]?.listeners ?? [])]) {
        onRevoked();
      }
    }
  }

  const looking = createRepeatingTask({
    name: 'live.revocation',
    log,
    hasWork: () => toLookAt.length > 0,
    work: look,
  });
  const timer = setInterval(() => {
    if (toLookAt.length === 0) {
      toLookAt = [...all.values()];
      looking.run();
    }
  }, LOOK_EVERY_MS).unref();
  return {
    watch({ tenantId, identityId, role, customerId, expertId }, onRevoked) {
      const key = `${tenantId} ${identityId} ${role} ${customerId} ${expertId}`;
      const watched = all.get(key) ?? {
        standing: { tenantId, identityId, role, customerId, expertId },
        listeners: new Set(),
      };
      all.set(key, watched);
      watched.listeners.add(onRevoked);
      return () => {
        watched.listeners.delete(onRevoked);
        if (watched.listeners.size === 0 && all.get(key) === watched) {
          all.delete(key);
        }
      };
    },
    async close() {
      clearInterval(timer);
      await looking.stop();
    },
  };
}
